//! The example that a reader of the library begins with tells the day that its head promises.

#[path = "../../examples/first_day.rs"]
#[expect(dead_code, reason = "what prints it is for who runs the example")]
mod example;

#[test]
fn the_first_day_is_as_its_head_says() {
    let mut told = Vec::new();
    example::first_day(&mut |line| told.push(line)).unwrap();
    let told = told.join("\n");
    let parts = [
        "How does Maya travel? Maya prefers trains to planes",
        "What do I hate? I hate airports.",
        "What about quartz xylophones? nothing: ",
        "\n08:00 9 statements and no token: nothing was found",
        "\n08:20 introduction: Hello operator, I am main",
        "\n09:00 reminder: 2 things:\n- Reminder: water the tomatoes (due today at 09:00)\n- kitchen",
        "\n12:00 the heart beat ",
    ];
    let mut rest = told.as_str();
    for part in parts {
        let (_, after) =
            rest.split_once(part).unwrap_or_else(|| panic!("{part:?} is not in its place in:\n{told}"));
        rest = after;
    }
    assert_eq!(told.matches("water the tomatoes").count(), 1, "it is told once:\n{told}");
}
