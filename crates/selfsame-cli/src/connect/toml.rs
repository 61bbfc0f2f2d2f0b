//! Edits a TOML file: a new table is written behind what is there, which is not touched; one that is there is changed in its place.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

/// The text with a table at the path that has this command and these arguments.
pub(super) fn set(text: &str, path: &[&str], command: &str, arguments: &[String]) -> Result<String, String> {
    let mut document = parse(text)?;
    match find(&document, path) {
        Some(table) if has(table, command, arguments) => return Ok(text.to_owned()),
        None if can_follow(&document, path) => return Ok(followed_by(text, path, command, arguments)),
        _ => {}
    }
    let table = made(&mut document, path)?;
    table.insert("command", value(command));
    table.insert("args", value(arguments.iter().collect::<Array>()));
    Ok(document.to_string())
}

/// The text without the table at the path.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, String> {
    let mut document = parse(text)?;
    if find(&document, path).is_none() {
        return Ok(text.to_owned());
    }
    if let Some((name, above)) = path.split_last() {
        made(&mut document, above)?.remove(name);
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>().map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        format!("{line}{}", error.message())
    })
}

fn find<'d>(document: &'d DocumentMut, path: &[&str]) -> Option<&'d dyn TableLike> {
    let mut table: &dyn TableLike = document.as_table();
    for name in path {
        table = table.get(name)?.as_table_like()?;
    }
    Some(table)
}

fn has(table: &dyn TableLike, command: &str, arguments: &[String]) -> bool {
    let words = table.get("args").and_then(Item::as_array).map(|words| {
        words.iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    });
    table.get("command").and_then(Item::as_str) == Some(command) && words.as_deref() == Some(arguments)
}

/// Whether a header for the path can stand at the end: nothing on the way is closed in braces or something else.
fn can_follow(document: &DocumentMut, path: &[&str]) -> bool {
    let mut table: &dyn TableLike = document.as_table();
    for name in path {
        match table.get(name) {
            None => return true,
            Some(Item::Table(next)) if !next.is_dotted() => table = next,
            Some(_) => return false,
        }
    }
    false
}

fn followed_by(text: &str, path: &[&str], command: &str, arguments: &[String]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut table = Table::new();
    table.insert("command", value(command));
    table.insert("args", value(arguments.iter().collect::<Array>()));
    let lines = table.to_string().replace('\n', newline);
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &format!("{newline}{newline}"),
    };
    format!("{text}{gap}[{}]{newline}{lines}", path.join("."))
}

fn made<'d>(document: &'d mut DocumentMut, path: &[&str]) -> Result<&'d mut dyn TableLike, String> {
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in path {
        let item = table.entry(name).or_insert_with(|| Item::Table(Table::new()));
        table = item.as_table_like_mut().ok_or_else(|| format!("`{}` is no table", path.join(".")))?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 2] = ["mcp_servers", "selfsame"];

    fn ours(text: &str) -> Result<String, String> {
        set(text, &PATH, "/bin/selfsame", &["--data".into(), "/a \"b\"".into(), "mcp".into()])
    }

    const TABLE: &str =
        "[mcp_servers.selfsame]\ncommand = \"/bin/selfsame\"\nargs = [\"--data\", '/a \"b\"', \"mcp\"]\n";

    #[test]
    fn what_is_there_is_not_touched() {
        for text in [
            "",
            "model = \"x\" # mine\n",
            "# only a note",
            "[mcp_servers.other]\ncommand = \"x\"   # theirs\n\n[tui]\n  odd   =  1\n",
            "[mcp_servers]\n",
        ] {
            let edited = ours(text).unwrap();
            assert!(edited.starts_with(text) && edited.ends_with(TABLE), "{edited}");
            assert_eq!(ours(&edited).unwrap(), edited, "twice is as once");
            assert!(!remove(&edited, &PATH).unwrap().contains("selfsame"));
        }
        let windows = ours("a = 1\r\n").unwrap();
        assert_eq!(windows.matches('\n').count(), windows.matches("\r\n").count());
    }

    #[test]
    fn what_is_written_otherwise_is_changed_in_its_place() {
        let old = "[mcp_servers.selfsame]\ncommand = \"old\" # here\nenabled = true\n\n[tui]\nx = 1 # kept\n";
        let edited = ours(old).unwrap();
        assert!(
            edited.contains("enabled = true") && edited.contains("x = 1 # kept") && !edited.contains("old")
        );
        assert_eq!(ours(&edited).unwrap(), edited);
        let inline = ours("mcp_servers = { other = { command = \"x\" } } # all\n").unwrap();
        assert!(inline.contains("other") && inline.contains("/bin/selfsame"), "{inline}");
        assert_eq!(ours(&inline).unwrap(), inline);
    }

    #[test]
    fn what_is_broken_is_told_where() {
        let said = ours("a = 1\nb = = 2\n").unwrap_err();
        assert!(said.starts_with("line 2: "), "{said}");
        assert_eq!(ours("mcp_servers = 1\n").unwrap_err(), "`mcp_servers.selfsame` is no table");
    }
}
