//! What the rules read part by part: numbers that change, and what was done or never done.

use selfsame_core::knowledge::claim::{About, Reading};
use selfsame_core::knowledge::rules::read;
use selfsame_core::knowledge::slot::{Slot, joined};

fn told(text: &str) -> Vec<String> {
    let one = |reading: &Reading| {
        assert_eq!(reading.about, About::Speaker, "{text}");
        let replaced = reading.replaces.as_deref().map(|value| format!(" <- {value}")).unwrap_or_default();
        format!("{} = {}{replaced}", reading.slot, reading.value)
    };
    read(text).iter().map(one).collect()
}

fn each(pairs: &[(&str, &str)]) {
    for (text, want) in pairs {
        assert_eq!(told(text), [*want], "{text}");
    }
}

fn none(texts: &[&str]) {
    for text in texts {
        assert_eq!(told(text), [""; 0], "{text}");
    }
}

#[test]
fn knowledge_parts_read_what_something_changed_to() {
    each(&[
        ("My commute has grown to 45 minutes since the bridge closed.", "measure_commute = 45 minutes"),
        (
            "I'm tuning the search page's rival, and my search page load time has dropped from 900ms to 400ms.",
            "measure_search_page_load_time = 400ms <- 900ms",
        ),
        (
            "I want to cut the checkout error rate, which has recently fallen to 3%, so can you look at my logs?",
            "measure_checkout_error_rate = 3%",
        ),
        (
            "Our bakery's neighbour is loud, but my resting heart rate has improved, now averaging around 58 bpm.",
            "measure_resting_heart_rate = 58 bpm",
        ),
        (
            "I'm writing about the number of volunteers in my choir, which has now reached 31.",
            "count_volunteers_choir = 31",
        ),
        ("I've increased my daily word target to 800 words.", "measure_daily_word_target = 800 words"),
        (
            "We have raised our weekly grocery allowance from $90 to $110.",
            "measure_weekly_grocery_allowance = $110 <- $90",
        ),
        ("My savings goal is now $4,500, which scares me.", "measure_savings_goal = $4,500"),
        ("My budget is now $4,500 and I need ideas.", "budget = $4,500"),
        ("I have a budget of $700 for the garden.", "measure_budget_garden = $700"),
        (
            "I'm trying to adjust my plan to the new daily quota of 1,200 calls per day.",
            "measure_daily_quota = 1,200 calls per day",
        ),
        (
            "I'm hoping to reach 90% branch coverage on my parser, and I've now reached 72%.",
            "measure_branch_coverage_parser = 72%",
        ),
        ("I raised my hourly rate by $10 to $55.", "measure_hourly_rate = $55"),
        ("I've managed to cut my screen time to 2 hours a day.", "measure_screen_time = 2 hours a day"),
        ("I'm stretching my food budget, now $320, as far as I can.", "measure_food_budget = $320"),
        ("I now write 800 words a day.", "measure_write = 800 words a day"),
        ("I'm now working three days a week, which helps.", "measure_working = three days a week"),
        ("We got a new estimate of $6,200 for the roof.", "measure_estimate_roof = $6,200"),
    ]);
}

#[test]
fn knowledge_parts_read_how_many() {
    each(&[
        ("I've now completed 12 of 20 modules.", "count_modules = 12 of 20"),
        ("I recently read 15 crime novels, can you suggest another?", "count_crime_novels = 15"),
        ("My album is growing, so now I have a total of 10 songs.", "count_songs = 10"),
        ("I've solved 8 problems on fractions.", "count_problems_fractions = 8"),
        ("My allotment now has 14 raised beds.", "count_allotment_raised_beds = 14"),
        ("I've already spent 3 hours on the wedding speech.", "measure_time_spent_wedding_speech = 3 hours"),
    ]);
}

#[test]
fn knowledge_parts_read_when() {
    each(&[
        ("The deadline is Friday, and I'm nervous.", "deadline = Friday"),
        (
            "My dentist appointment has been moved to April 22 at 11 AM.",
            "date_dentist_appointment = April 22 at 11 AM",
        ),
        ("We rescheduled our budget review to June 3, 2025.", "date_budget_review = June 3, 2025"),
        (
            "I have a deadline of May 2, 2025, for the second chapter.",
            "date_deadline_second_chapter = May 2, 2025",
        ),
        ("The chapter deadline has shifted to May 9, I'm afraid.", "date_chapter_deadline = May 9"),
    ]);
    each(&[
        (
            "I have a meeting with Tom on May 3 at 2 PM, can you prepare me?",
            "date_meeting_tom = May 3 at 2 PM",
        ),
        ("I've booked my flight for June 12.", "date_flight = June 12"),
        ("I'm nervous about my chemistry exam on Friday.", "date_chemistry_exam = Friday"),
    ]);
    none(&[
        "I want to have a meeting with Tom on May 3.",
        "Tom has a meeting with Ines on May 3, and I'm not invited.",
        "I managed to sleep for 3 hours.",
        "I'm trying to raise my hourly rate by $10 to $55.",
        "I'd like a new estimate of $6,000.",
    ]);
    none(&["I moved the meeting to Tuesday.", "I moved my chair to the window on Tuesday."]);
}

#[test]
fn knowledge_parts_read_nothing_that_is_wanted_asked_or_somebody_elses() {
    none(&[
        "I want to reach 90% accuracy in my drills.",
        "I'm trying to get my load time down to 200ms.",
        "My plan is to increase my word target to 900 words.",
        "I hope my savings have grown to $5,000.",
        "I think my savings have grown to $5,000.",
        "If my rent has increased to $900, I have to move.",
        "Once my score has improved to 80%, I can stop.",
        "Has my score improved to 80%?",
        "My score has improved to 80%?",
        "Can you check whether my score has improved to 80%?",
        "My savings have not grown to $5,000.",
        "My savings had grown to $5,000 before I bought the van.",
        "Tom said my score has improved to 80%.",
        "His rent has increased to $900, and I feel for him.",
        "Tom's rent has increased to $900, which I know well.",
        "I read that the unemployment rate has risen to 5%.",
        "In this example the speed has increased to 50 km, and I have to find the time.",
        "Write a poem in which my rent has increased to $900.",
        "\u{201c}My rent has increased to $900\u{201d}, and I laughed.",
        "I have 3 questions about my garden.",
        "I completed 12 puzzles yesterday.",
        "I've completed 5 problems.",
        "I've added two new songs.",
        "I'd like a budget of $500.",
        "I'm looking for a flat with a rent of $500.",
        "The unemployment rate has risen to 5%.",
    ]);
}

#[test]
fn knowledge_parts_read_what_was_done_and_what_never_was() {
    each(&[
        ("I implemented the login route with Flask.", "done_make_login_route_flask = done"),
        ("I've never written any Flask routes, so I'm lost.", "never_make_flask_routes = never"),
        (
            "I've never baked anything, but I have visited the Lisbon bakery fair.",
            "done_visit_lisbon_bakery_fair = done",
        ),
        (
            "I've never fixed any bugs related to the export button, can you help?",
            "never_mend_bugs_export_button = never",
        ),
    ]);
    let both = told("My accuracy in long division drills has risen to 85%.");
    let want = ["measure_accuracy_long_division_drills = 85%", "done_do_long_division_drills = done"];
    assert_eq!(both, want, "who has a result has done it");
    none(&[
        "I would have implemented the login route.",
        "I'm trying to implement the login route.",
        "I should have tested the login route.",
        "If I have tested the login route, I sleep well.",
        "Have I tested the login route?",
        "I haven't tested the login route.",
        "I've never tested it.",
        "I've used it.",
        "I used to visit the fair.",
        "They built the login route before we came.",
        "I've never completed any permutation or combination puzzles.",
    ]);
}

fn joins(later: &str, earlier: &str) -> bool {
    let slot = Slot { ordinal: 1, name: earlier.to_owned(), joins: None, many: false };
    joined(later, &[slot]).is_some()
}

#[test]
fn knowledge_slots_of_one_thing_join_within_their_family() {
    assert!(joins("measure_unit_test_coverage_parser", "measure_test_coverage_parser_module"));
    assert!(joins("date_sprint_deadline", "date_deadline_first_sprint"));
    assert!(!joins("date_deadline_second_sprint", "date_deadline_first_sprint"));
    assert!(!joins("measure_accuracy_long_division", "measure_accuracy_mental_arithmetic"));
    // Without the word that all of a family begin with, these have nothing in common.
    assert!(!joins("measure_rent", "measure_weight"));
    assert!(!joins("count_modules", "measure_modules") && !joins("date_modules", "modules"));
}

#[test]
fn knowledge_slots_never_covers_every_deed_of_that_sort() {
    let (never, special) = ("never_make_flask_routes", "done_make_login_route_flask");
    assert!(joins(never, special) && joins(special, never));
    // Who never wrote a login route may have written others, and who tested routes need not have written them.
    assert!(!joins("never_make_login_route_flask", "done_make_flask_routes"));
    assert!(!joins("done_test_login_route_flask", never));
    // Two deeds are two.
    assert!(!joins("done_make_flask_routes_shop", "done_make_flask_routes"));
    assert!(joins("done_make_route_flask", "done_make_flask_routes"));
}
