// The presence: a body of light. Valence tints it cool or warm, arousal drives its pace, its reach and its glow, energy is how
// deep it breathes. With reduced motion it is one still picture.

// From heavy to joyful: blue, indigo, violet, coral, amber. Stops of their own, for what lies between two of them is grey.
const TINTS = [[-2, [38, 92, 232]], [-1, [72, 96, 228]], [0, [136, 104, 214]], [0.8, [232, 104, 104]], [2, [250, 142, 34]]];
const ENERGY = { low: 0.35, medium: 0.65, high: 1 };
// A step along the spiral of points by one of these numbers leads to a neighbour: what the threads are spun between.
const NEIGHBOURS = [21, 34];
// How far the hue lies from that of the middle, from pole to pole.
const BANDS = Array.from({ length: 9 }, (_, place) => 0.7 - place * 0.175);

const mix = (one, other, part) => one.map((value, place) => Math.round(value + (other[place] - value) * part));
export function tint(valence) {
  const next = TINTS.findIndex(([from]) => valence <= from);
  if (next === 0) return TINTS[0][1];
  if (next < 0) return TINTS.at(-1)[1];
  const [[low, one], [high, other]] = [TINTS[next - 1], TINTS[next]];
  return mix(one, other, (valence - low) / (high - low));
}

// The same points each time: what is still must be the same picture.
function points(count) {
  const golden = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, place) => {
    const y = 1 - (2 * (place + 0.5)) / count;
    const ring = Math.sqrt(1 - y * y);
    const chance = (by, times) => Math.abs(Math.sin(place * by) * times) % 1;
    // Most make the skin, some the inside, a few are dust around it.
    const lot = chance(78.233, 9631.137);
    const shell = lot < 0.72 ? 0.9 + lot * 0.14 : lot < 0.92 ? 0.35 + chance(3.77, 517.3) * 0.5 : 1.12 + chance(5.11, 811.7) * 0.3;
    return { x: Math.cos(golden * place) * ring, y, z: Math.sin(golden * place) * ring, seed: chance(12.9898, 43758.5453) * Math.PI * 2, shell, band: Math.min(BANDS.length - 1, Math.floor(((y + 1) / 2) * BANDS.length + chance(9.13, 331.7) - 0.5)), left: 0, top: 0, near: 0 };
  });
}

// A soft dot of one colour, drawn once and stamped often.
function dot(colour, dark) {
  const size = 48;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d");
  const glow = pen.createRadialGradient(size / 2, size / 2, 0, size / 2, size / 2, size / 2);
  const core = dark ? mix(colour, [255, 255, 255], 0.5) : mix(colour, [20, 20, 30], 0.12);
  glow.addColorStop(0, `rgba(${core.join(",")},1)`);
  glow.addColorStop(dark ? 0.2 : 0.34, `rgba(${colour.join(",")},${dark ? 0.8 : 0.85})`);
  glow.addColorStop(1, `rgba(${colour.join(",")},0)`);
  pen.fillStyle = glow;
  pen.fillRect(0, 0, size, size);
  return canvas;
}

export function field(canvas) {
  const pen = canvas.getContext("2d");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const night = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => { const set = document.documentElement.dataset.theme; return set ? set === "dark" : night.matches; };
  const now = { valence: 0, arousal: 0.25, energy: 0.5, pulse: 0 };
  const wanted = { ...now };
  let all = [], width = 0, height = 0, ratio = 1, time = 0, last, frame, sprites = [], spritesOf = "";
  canvas.frames = 0;

  function measure() {
    const box = canvas.getBoundingClientRect();
    ratio = Math.min(devicePixelRatio || 1, 2);
    width = box.width;
    height = box.height;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    all = points(width < 500 ? 560 : 1150);
    if (still.matches) draw();
  }

  function draw() {
    const dark = isDark();
    const key = `${Math.round(now.valence * 25)} ${dark}`;
    if (key !== spritesOf) { sprites = BANDS.map((away) => dot(tint(now.valence + away), dark)); spritesOf = key; }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const narrow = width < 500;
    const cx = narrow ? width * 0.5 : width * 0.64, cy = height * (narrow ? 0.4 : 0.5);
    const breath = 1 + Math.sin(time * (0.55 + now.energy * 0.7)) * (0.012 + now.energy * 0.06);
    const radius = Math.min(width * (narrow ? 0.36 : 0.3), height * 0.37) * (0.86 + now.arousal * 0.14) * breath;
    halo(cx, cy, radius);
    place(cx, cy, radius);
    pen.globalCompositeOperation = dark ? "lighter" : "source-over";
    threads(dark);
    for (const point of all) {
      const size = (2.4 + point.near * 6) * (0.85 + now.arousal * 0.85) * (narrow ? 0.85 : 1) * (point.shell > 1.1 ? 0.7 : 1.1);
      pen.globalAlpha = Math.min(1, ((dark ? 0.14 : 0.2) + point.near * (dark ? 0.66 : 0.8)) * (0.62 + now.energy * 0.3 + now.pulse * 0.3));
      pen.drawImage(sprites[Math.max(0, point.band)], point.left - size / 2, point.top - size / 2, size, size);
    }
    pen.globalAlpha = 1;
    pen.globalCompositeOperation = "source-over";
    canvas.frames += 1;
  }

  // Where every point is now: it turns, it heaves, and what is excited leaves its place.
  function place(cx, cy, radius) {
    const turn = time * (0.05 + now.arousal * 0.32), sin = Math.sin(turn), cos = Math.cos(turn);
    const restless = 0.022 + now.arousal * now.arousal * 0.2;
    for (const point of all) {
      const wave = Math.sin(time * (0.5 + now.arousal * 2.6) + point.seed * now.arousal + point.y * 3.1) * restless + Math.sin(time * 0.7 + point.x * 4 + point.seed * 2 * now.arousal) * restless * 0.6;
      const ripple = now.pulse * Math.sin(point.y * 9 - time * 7) * 0.07;
      const reach = radius * (point.shell + wave + ripple);
      point.near = (point.x * sin + point.z * cos + 1.4) / 2.4;
      point.left = cx + (point.x * cos - point.z * sin) * reach;
      point.top = cy + point.y * reach * 0.95;
    }
  }

  // What is calm hangs together: threads between neighbours, fainter the more it is stirred.
  function threads(dark) {
    pen.lineWidth = 0.7;
    pen.strokeStyle = `rgb(${tint(now.valence).join(",")})`;
    for (const behind of [true, false]) {
      pen.globalAlpha = Math.max(0.02, ((behind ? 0.08 : 0.26) + (dark ? 0.04 : 0.06)) * (1 - now.arousal * 0.85));
      pen.beginPath();
      for (let at = 0; at < all.length; at += 1) {
        const one = all[at];
        if (one.shell < 0.85 || one.shell > 1.1 || one.near < 0.58 !== behind) continue;
        for (const step of NEIGHBOURS) {
          const other = all[at + step];
          if (!other || other.shell < 0.85 || other.shell > 1.1) continue;
          pen.moveTo(one.left, one.top);
          pen.lineTo(other.left, other.top);
        }
      }
      pen.stroke();
    }
  }

  function halo(cx, cy, radius) {
    const [red, green, blue] = tint(now.valence);
    const reach = Math.min(radius * (1.55 + now.arousal * 0.4), cy, height - cy, cx, width - cx);
    const glow = pen.createRadialGradient(cx, cy, 0, cx, cy, reach);
    const strength = 0.2 * (0.6 + now.arousal * 1.1) * (0.75 + now.energy * 0.35);
    glow.addColorStop(0, `rgba(${red},${green},${blue},${strength * 1.2})`);
    glow.addColorStop(0.45, `rgba(${red},${green},${blue},${strength * 0.55})`);
    glow.addColorStop(1, `rgba(${red},${green},${blue},0)`);
    pen.fillStyle = glow;
    pen.fillRect(cx - reach, cy - reach, reach * 2, reach * 2);
  }

  function step(moment) {
    const passed = Math.min(0.05, (moment - (last ?? moment)) / 1000);
    last = moment;
    time += passed;
    const ease = 1 - Math.exp(-passed * 1.6);
    for (const name of ["valence", "arousal", "energy"]) now[name] += (wanted[name] - now[name]) * ease;
    now.pulse *= Math.exp(-passed * 1.4);
    draw();
    frame = requestAnimationFrame(step);
  }

  function start() {
    cancelAnimationFrame(frame);
    last = undefined;
    if (still.matches) { Object.assign(now, wanted, { pulse: 0 }); time = 2; draw(); } else frame = requestAnimationFrame(step);
  }

  const sized = new ResizeObserver(measure);
  sized.observe(canvas);
  still.addEventListener("change", start);
  night.addEventListener("change", draw);
  measure();
  start();
  return {
    // How it is now; at once the first time.
    feel(mood, atOnce) {
      wanted.valence = mood.valence;
      wanted.arousal = mood.arousal;
      wanted.energy = ENERGY[mood.energy] ?? 0.5;
      if (atOnce || still.matches) { Object.assign(now, wanted); draw(); }
    },
    // Something happened.
    pulse() { if (!still.matches) now.pulse = 1; },
    redraw: draw,
    end() { cancelAnimationFrame(frame); sized.disconnect(); still.removeEventListener("change", start); night.removeEventListener("change", draw); },
  };
}
