//! Which days a text speaks of, and what they are indexed and looked up by.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use selfsame_core::local::{plain_date, show_day};
use selfsame_core::text;
use selfsame_core::when::{MAX_TERMS, Mention, Span, index_terms, lookup_terms, mentions, terms};

/// `2023-05-07` for a day, `2023-05-01..2023-05-31` for more; several with commas.
fn shown(found: &[Mention]) -> String {
    let one = |mention: &Mention| {
        let (first, last) = (show_day(mention.span.first), show_day(mention.span.last));
        if first == last { first } else { format!("{first}..{last}") }
    };
    found.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Reads every text as said on that day, and shows all that went wrong at once.
fn check(said_on: &str, table: &[(&str, &str)]) {
    let day = plain_date(said_on).expect("a date");
    let mut wrong = Vec::new();
    for (said, expected) in table {
        let read = shown(&mentions(said, day));
        if read != *expected {
            wrong.push(format!("{said:?} on {said_on}: {read:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A Wednesday.
const WEDNESDAY: &str = "2023-05-10";

#[test]
fn written_dates() {
    check(
        WEDNESDAY,
        &[
            ("2023-05-07", "2023-05-07"),
            ("due 2023-05-07T10:00:00-05:00, really", "2023-05-07"),
            ("(2023/05/07)", "2023-05-07"),
            ("13/5/2023 or 5/13/2023 or 5/5/2023", "2023-05-13, 2023-05-13, 2023-05-05"),
            ("13.05.2023 and 13-05-2023", "2023-05-13, 2023-05-13"),
            ("in 2023-05 we", "2023-05-01..2023-05-31"),
            ("7 May 2023", "2023-05-07"),
            ("07 May 2023", "2023-05-07"),
            ("7 may 2023", "2023-05-07"),
            ("May 7, 2023", "2023-05-07"),
            ("May 7th, 2023.", "2023-05-07"),
            ("May 7 2023", "2023-05-07"),
            ("May the 7th", "2023-05-07"),
            ("the 7th of May, 2021", "2021-05-07"),
            ("7th of May", "2023-05-07"),
            ("On the 7th of may we left", "2023-05-07"),
            ("14 July 1789", "1789-07-14"),
            ("Sept. 7, 2022", "2022-09-07"),
            ("on Dec 24th", "2022-12-24"),
            ("Friday, May 12", "2023-05-12"),
            ("Sunday the 7th of May", "2023-05-07"),
            ("Sun, 7 May 2023", "2023-05-07"),
            ("May 5-7, 2022", "2022-05-05..2022-05-07"),
            ("from 5–7 May", "2023-05-05..2023-05-07"),
            ("29 February 2024", "2024-02-29"),
            ("on February 29", "2024-02-29"),
            ("the 15th of last month", "2023-04-15"),
            ("May 7 last year", "2022-05-07"),
            ("on May 7th of last year", "2022-05-07"),
            // Without a year: the nearest, unless the sentence looks somewhere.
            ("The party is on May 20", "2023-05-20"),
            ("May 20 was fun", "2022-05-20"),
            ("On April 20 we went home", "2023-04-20"),
            ("We will meet on April 20", "2024-04-20"),
            ("on November 3", "2023-11-03"),
            ("on November 20", "2022-11-20"),
            ("On May 7 2000 people came", "2023-05-07"),
            ("between August 11 and August 15, 2021", "2021-08-11..2021-08-15"),
            ("from 28 April to 2 May", "2023-04-28..2023-05-02"),
            ("We met on the 15th", "2023-04-15"),
            ("It is due by the 15th", "2023-05-15"),
            ("on the 31st", "2023-03-31"),
        ],
    );
}

#[test]
fn months() {
    check(
        WEDNESDAY,
        &[
            ("May 2023", "2023-05-01..2023-05-31"),
            ("in may 2023", "2023-05-01..2023-05-31"),
            ("February, 2024", "2024-02-01..2024-02-29"),
            ("March of 2021", "2021-03-01..2021-03-31"),
            ("in May", "2023-05-01..2023-05-31"),
            ("in april", "2023-04-01..2023-04-30"),
            ("in march", "2023-03-01..2023-03-31"),
            ("in June", "2022-06-01..2022-06-30"),
            ("We will move in June", "2023-06-01..2023-06-30"),
            ("We'll move in March", "2024-03-01..2024-03-31"),
            ("since January", "2023-01-01..2023-01-31"),
            ("January was hard", "2023-01-01..2023-01-31"),
            ("by July", "2023-07-01..2023-07-31"),
            ("from March to June", "2023-03-01..2023-03-31, 2022-06-01..2022-06-30"),
            ("from March to May", "2023-03-01..2023-05-31"),
            ("from May to July 2021", "2021-05-01..2021-07-31"),
            ("the month of May", "2023-05-01..2023-05-31"),
            ("last May", "2022-05-01..2022-05-31"),
            ("last March", "2023-03-01..2023-03-31"),
            ("this May", "2023-05-01..2023-05-31"),
            ("this March", "2023-03-01..2023-03-31"),
            ("next May", "2024-05-01..2024-05-31"),
            ("next June", "2023-06-01..2023-06-30"),
            ("this coming September", "2023-09-01..2023-09-30"),
            ("this past April", "2023-04-01..2023-04-30"),
            ("next May 7th", "2024-05-07"),
            ("in May of last year", "2022-05-01..2022-05-31"),
            ("March this year", "2023-03-01..2023-03-31"),
            ("early May", "2023-05-01..2023-05-10"),
            ("mid-May", "2023-05-11..2023-05-20"),
            ("late February 2024", "2024-02-21..2024-02-29"),
            ("the beginning of April", "2023-04-01..2023-04-10"),
            ("the end of last month", "2023-04-21..2023-04-30"),
            ("in the middle of this month", "2023-05-11..2023-05-20"),
        ],
    );
}

#[test]
fn years() {
    check(
        WEDNESDAY,
        &[
            ("in 2022", "2022-01-01..2022-12-31"),
            ("In 2022 we moved", "2022-01-01..2022-12-31"),
            ("in 2000 we moved", "2000-01-01..2000-12-31"),
            ("since 2019", "2019-01-01..2019-12-31"),
            ("until 2030", "2030-01-01..2030-12-31"),
            ("the summer Olympics of 2012", "2012-01-01..2012-12-31"),
            ("the year 1984", "1984-01-01..1984-12-31"),
            ("from 2019 to 2021", "2019-01-01..2021-12-31"),
            ("between 2019 and 2021", "2019-01-01..2021-12-31"),
            ("2019-2021", "2019-01-01..2021-12-31"),
            ("last year", "2022-01-01..2022-12-31"),
            ("this year's harvest", "2023-01-01..2023-12-31"),
            ("next year", "2024-01-01..2024-12-31"),
            ("the year before last", "2021-01-01..2021-12-31"),
            ("two years ago", "2021-01-01..2021-12-31"),
            ("early 2022", "2022-01-01..2022-04-30"),
            ("mid-2022", "2022-05-01..2022-08-31"),
            ("the end of 2022", "2022-09-01..2022-12-31"),
            ("by the end of the year", "2023-09-01..2023-12-31"),
            ("in the past year", "2022-05-11..2023-05-10"),
        ],
    );
}

#[test]
fn weekdays() {
    check(
        WEDNESDAY,
        &[
            ("On Friday we went home", "2023-05-05"),
            ("Friday", "2023-05-05"),
            ("on wednesday", "2023-05-03"),
            ("on Tuesday night", "2023-05-09"),
            ("I will see her on Friday", "2023-05-12"),
            ("Will you come on Friday?", "2023-05-12"),
            ("Will called on Friday", "2023-05-05"),
            ("I'll see her on Wednesday", "2023-05-17"),
            ("It has to be done by Monday", "2023-05-15"),
            ("The exam is on Friday", "2023-05-12"),
            ("We will. It rained on Friday", "2023-05-05"),
            ("last Friday", "2023-05-05"),
            ("last Wednesday", "2023-05-03"),
            ("this past Tuesday", "2023-05-09"),
            ("this Friday", "2023-05-12"),
            ("this Wednesday", "2023-05-10"),
            ("this Monday was hard", "2023-05-08"),
            ("next Tuesday", "2023-05-16"),
            ("next Friday", "2023-05-19"),
            ("this coming Friday", "2023-05-12"),
            ("on Friday of last week", "2023-05-05"),
            ("Tuesday last week", "2023-05-02"),
            ("Tuesday next week", "2023-05-16"),
            ("the Friday before last", "2023-04-28"),
            ("the Friday before 15 July 2023", "2023-07-14"),
            ("the Friday after 14 July 2023", "2023-07-21"),
            ("the Friday before", "2023-05-05"),
            ("the last Friday before 15 July 2023", "2023-07-14"),
            ("from Wednesday to Monday", "2023-05-03..2023-05-08"),
            ("from Monday to Wednesday", "2023-05-08, 2023-05-03"),
            ("We left on 15 July 2022 and packed the Monday before", "2022-07-15, 2022-07-11"),
            ("on Sat", "2023-05-06"),
            ("last Sun", "2023-05-07"),
            ("Saturday/Sunday", "2023-05-06, 2023-05-07"),
            ("Friday's dinner", "2023-05-05"),
        ],
    );
    check(
        "2023-05-14",
        &[
            ("next Tuesday", "2023-05-16"),
            ("on Sunday", "2023-05-07"),
            ("last week", "2023-05-01..2023-05-07"),
        ],
    );
}

#[test]
fn days_weeks_and_weekends() {
    check(
        WEDNESDAY,
        &[
            ("yesterday", "2023-05-09"),
            ("Yesterday's news", "2023-05-09"),
            ("today", "2023-05-10"),
            ("tonight", "2023-05-10"),
            ("this morning", "2023-05-10"),
            ("this afternoon", "2023-05-10"),
            ("last night", "2023-05-09"),
            ("yesterday evening", "2023-05-09"),
            ("tomorrow", "2023-05-11"),
            ("the day before yesterday", "2023-05-08"),
            ("the day after tomorrow", "2023-05-12"),
            ("the night before last", "2023-05-08"),
            ("last week", "2023-05-01..2023-05-07"),
            ("this week", "2023-05-08..2023-05-14"),
            ("next week", "2023-05-15..2023-05-21"),
            ("the week before last", "2023-04-24..2023-04-30"),
            ("the week after next", "2023-05-22..2023-05-28"),
            ("the past week", "2023-05-04..2023-05-10"),
            ("last weekend", "2023-05-06..2023-05-07"),
            ("this weekend", "2023-05-13..2023-05-14"),
            ("next weekend", "2023-05-20..2023-05-21"),
            ("the weekend before last", "2023-04-29..2023-04-30"),
            ("over the weekend", "2023-05-06..2023-05-07"),
            ("We will hike at the weekend", "2023-05-13..2023-05-14"),
            ("early next week", "2023-05-15..2023-05-17"),
            ("by the end of the week", "2023-05-12..2023-05-14"),
            ("the week of June 7, 2023", "2023-06-05..2023-06-11"),
            ("the weekend before 17 July 2023", "2023-07-15..2023-07-16"),
            ("two weekends before 17 July 2023", "2023-07-08..2023-07-09"),
            ("the week before 9 June 2023", "2023-05-29..2023-06-04"),
            ("the day before Christmas", "2022-12-24"),
            ("the month before last", "2023-03-01..2023-03-31"),
            ("last month", "2023-04-01..2023-04-30"),
            ("this month", "2023-05-01..2023-05-31"),
            ("next month", "2023-06-01..2023-06-30"),
        ],
    );
}

#[test]
fn so_far_away() {
    check(
        WEDNESDAY,
        &[
            ("2 days ago", "2023-05-08"),
            ("two days ago", "2023-05-08"),
            ("a day ago", "2023-05-09"),
            ("a week ago", "2023-05-01..2023-05-07"),
            ("two weeks ago", "2023-04-24..2023-04-30"),
            ("a month ago", "2023-04-01..2023-04-30"),
            ("14 months ago", "2022-03-01..2022-03-31"),
            ("a year ago", "2022-01-01..2022-12-31"),
            ("a year ago today", "2022-05-10"),
            ("a couple of days ago", "2023-05-07..2023-05-08"),
            ("a couple weeks ago", "2023-04-17..2023-04-30"),
            ("a few days ago", "2023-05-05..2023-05-08"),
            ("several days ago", "2023-05-03..2023-05-07"),
            ("a few years ago", "2018-01-01..2021-12-31"),
            ("two weekends ago", "2023-04-29..2023-04-30"),
            ("in 3 days", "2023-05-13"),
            ("in two weeks", "2023-05-22..2023-05-28"),
            ("in a few weeks' time", "2023-05-22..2023-06-18"),
            ("in six months", "2023-11-01..2023-11-30"),
            ("two weeks from now", "2023-05-22..2023-05-28"),
            ("two days from tomorrow", "2023-05-13"),
            ("in the last 3 days", "2023-05-08..2023-05-10"),
            ("over the past two weeks", "2023-04-27..2023-05-10"),
            ("the last three months", "2023-02-11..2023-05-10"),
            ("in the next few days", "2023-05-11..2023-05-15"),
            ("next two weeks", "2023-05-11..2023-05-24"),
            ("three days before Christmas 2022", "2022-12-22"),
            ("a week after 7 May 2023", "2023-05-08..2023-05-14"),
            (
                "We met two days ago and again yesterday, in May 2022 too",
                "2023-05-08, 2023-05-09, 2022-05-01..2022-05-31",
            ),
        ],
    );
}

#[test]
fn seasons_and_feasts() {
    check(
        WEDNESDAY,
        &[
            ("last summer", "2022-06-01..2022-08-31"),
            ("this summer", "2023-06-01..2023-08-31"),
            ("next summer", "2023-06-01..2023-08-31"),
            ("this spring", "2023-03-01..2023-05-31"),
            ("last spring", "2022-03-01..2022-05-31"),
            ("last winter", "2022-12-01..2023-02-28"),
            ("summer 2022", "2022-06-01..2022-08-31"),
            ("the fall of 2021", "2021-09-01..2021-11-30"),
            ("winter 2023", "2023-12-01..2024-02-29"),
            ("in the summer", "2022-06-01..2022-08-31"),
            ("I will swim in summer", "2023-06-01..2023-08-31"),
            ("late summer 2022", "2022-08-01..2022-08-31"),
            ("summer last year", "2022-06-01..2022-08-31"),
            ("Christmas", "2022-12-25"),
            ("next Christmas", "2023-12-25"),
            ("last Christmas Eve", "2022-12-24"),
            ("Christmas 2020", "2020-12-25"),
            ("at Christmas last year", "2022-12-25"),
            ("New Year's Eve", "2022-12-31"),
            ("New Year’s Day 2020", "2020-01-01"),
            ("last Halloween", "2022-10-31"),
            ("Halloween will be fun", "2023-10-31"),
            ("Valentine's Day", "2023-02-14"),
            ("on Boxing Day", "2022-12-26"),
            ("St. Patrick's Day", "2023-03-17"),
        ],
    );
    check(
        "2023-07-15",
        &[("last summer", "2022-06-01..2022-08-31"), ("this summer", "2023-06-01..2023-08-31")],
    );
    check(
        "2023-01-15",
        &[
            ("this winter", "2022-12-01..2023-02-28"),
            ("last winter", "2021-12-01..2022-02-28"),
            ("next winter", "2023-12-01..2024-02-29"),
            ("Christmas", "2022-12-25"),
        ],
    );
    check(
        "2023-10-15",
        &[("this summer", "2023-06-01..2023-08-31"), ("last summer", "2023-06-01..2023-08-31")],
    );
}

#[test]
fn ends_of_months_and_years() {
    check(
        "2023-03-31",
        &[
            ("last month", "2023-02-01..2023-02-28"),
            ("next month", "2023-04-01..2023-04-30"),
            ("a month ago today", "2023-02-28"),
            ("the last month", "2023-02-01..2023-02-28"),
            ("in the past month", "2023-03-01..2023-03-31"),
        ],
    );
    check(
        "2024-02-29",
        &[
            ("a year ago", "2023-01-01..2023-12-31"),
            ("a year ago today", "2023-02-28"),
            ("four years ago today", "2020-02-29"),
            ("yesterday", "2024-02-28"),
            ("tomorrow", "2024-03-01"),
            ("on February 29", "2024-02-29"),
            ("last February", "2023-02-01..2023-02-28"),
        ],
    );
    check(
        "2023-12-31",
        &[
            ("tomorrow", "2024-01-01"),
            ("next week", "2024-01-01..2024-01-07"),
            ("in January", "2023-01-01..2023-01-31"),
            ("We will go in January", "2024-01-01..2024-01-31"),
            ("on January 1", "2024-01-01"),
            ("New Year's Eve", "2023-12-31"),
        ],
    );
    check(
        "2023-01-01",
        &[
            ("yesterday", "2022-12-31"),
            ("last week", "2022-12-19..2022-12-25"),
            ("this week", "2022-12-26..2023-01-01"),
            ("last month", "2022-12-01..2022-12-31"),
            ("last year", "2022-01-01..2022-12-31"),
        ],
    );
}

#[test]
fn other_words_are_no_dates() {
    let nothing = [
        "",
        "   ",
        "May I come in?",
        "may i ask 7 questions",
        "You may 7 times out of ten",
        "it may be so",
        "This may be so",
        "the last may be first",
        "March on!",
        "march 7 miles",
        "They march in line",
        "April said hello",
        "Tell June and August",
        "an august body",
        "in April's room",
        "I sat down",
        "He sat in the Sun",
        "the sun is out",
        "They wed young",
        "the second time",
        "a second ago",
        "last time",
        "next time we meet",
        "this one",
        "the next day",
        "the day before we left",
        "day after day",
        "2 days of work",
        "in 2 days of work",
        "We did it in two weeks",
        "We haven't talked in a few days",
        "on the 15th floor",
        "in the 4th and last",
        "two weeks later",
        "It will last two weeks",
        "It may last a year",
        "every Friday",
        "on Fridays",
        "each summer",
        "Black Friday, Good Friday",
        "in 2000 words",
        "2022 people",
        "by 2000 euros",
        "it costs $2022",
        "issue #2022",
        "call 1-800-555-0199",
        "call +49 2022 1990",
        "555-2022",
        "version 3.11.2024",
        "the 3.3.2024 release",
        "2023.05.07",
        "192.168.20.22",
        "5/7/2023",
        "31/31/2023",
        "2023-02-30",
        "2023-13-01",
        "30 February",
        "https://callscrub.io/2023/05/07/news",
        "a may-be and a two-year-old",
        "snake_may_2023",
        "may@friday.com",
        "the 1990s",
        "10:30 or 7pm",
        "the fall hurt",
        "prices fall in line",
        "spring to your feet",
        "my valentine",
        "a new year of work",
        "the end of the day",
        "the start of something",
        "late in the evening",
        "half past two",
        "24/7",
        "2010-12",
        "7-5",
        "99999999999999999999 days ago",
        "in 9999 years",
    ];
    check(WEDNESDAY, &nothing.map(|said| (said, "")));
}

#[test]
fn where_the_words_stand_and_whether_the_day_matters() {
    let said_on = date(2023, 5, 10);
    for (said, words, relative) in [
        ("We met on May 7th, 2023, at noon.", "May 7th, 2023", false),
        ("Über uns: in 2022 – ja", "2022", false),
        ("We met on May 7th.", "May 7th", true),
        ("It was the day before yesterday!", "day before yesterday", true),
        ("I’ll come in two weeks’ time", "in two weeks", true),
        ("I saw her last Friday night, alone", "last Friday night", true),
        ("the Friday before 15 July 2023", "Friday before 15 July 2023", false),
        ("the Friday before last", "Friday before last", true),
        ("**Sept. 7**", "Sept. 7", true),
    ] {
        let found = mentions(said, said_on);
        let [mention] = &found[..] else { panic!("{said:?}: {found:?}") };
        assert_eq!((&said[mention.words.clone()], mention.relative), (words, relative), "{said:?}");
    }
}

#[test]
fn the_calendar_ends_without_a_word() {
    for said in [
        "yesterday, last week, last month, last year, last Friday, last May, last summer, last Christmas",
        "tomorrow, next week, next month, next year, next Friday, next May, next summer, next Christmas",
        "the week before last and the week after next, the weekend before yesterday, the Friday before last",
        "in 9999 days, in 9999 years, 9999 years ago, the last 9999 years, the next 9999 weeks",
        "on February 29, in January, in December, on Friday, over the weekend, early next week",
        "We will meet on Friday, in January, at the weekend, in the winter, on February 29",
    ] {
        for said_on in [Date::MIN, Date::MAX, date(-9999, 1, 6), date(9999, 12, 26), Date::ZERO] {
            for mention in mentions(said, said_on) {
                assert!(mention.span.first <= mention.span.last, "{said:?} on {said_on}");
                assert!(lookup_terms(&mention.span).len() <= terms(&mention.span).len());
            }
        }
    }
    assert_eq!(mentions("yesterday", Date::MIN), []);
    assert_eq!(mentions("tomorrow, next week, in 9999 years", Date::MAX), []);
}

/// What a text is indexed by, and what the same words in a question look up.
fn both_terms(said: &str) -> (String, String) {
    let found = mentions(said, date(2023, 5, 10));
    let looked_up: Vec<String> = found.iter().flat_map(|mention| lookup_terms(&mention.span)).collect();
    (index_terms(&found).join(" "), looked_up.join(" "))
}

#[test]
fn a_text_is_found_by_its_days_months_and_years() {
    for (said, indexed, looked_up) in [
        ("7 May 2023", "@2023-05-07 @2023-05 @2023", "@2023-05-07"),
        ("in May 2023", "@2023-05 @2023", "@2023-05"),
        ("in 2023", "@2023", "@2023"),
        (
            "last weekend, and the week before 3 May 2023",
            "@2023-05-06 @2023-05-07 @2023-05 @2023 @2023-04-24 @2023-04-25 @2023-04-26 @2023-04-27 @2023-04-28 \
             @2023-04-29 @2023-04-30 @2023-04",
            "@2023-05-06 @2023-05-07 @2023-04-24 @2023-04-25 @2023-04-26 @2023-04-27 @2023-04-28 @2023-04-29 \
             @2023-04-30",
        ),
        ("last winter", "@2022-12 @2023-01 @2023-02 @2022 @2023", "@2022-12 @2023-01 @2023-02"),
        ("early May 2023", "@2023-05 @2023", "@2023-05"),
        ("from 2019 to 2021", "@2019 @2020 @2021", "@2019 @2020 @2021"),
        ("from 1990 to 2021", "@2017 @2018 @2019 @2020 @2021", "@2017 @2018 @2019 @2020 @2021"),
        ("the last two years", "@2021 @2022 @2023", "@2021 @2022 @2023"),
        ("May be", "", ""),
    ] {
        assert_eq!(both_terms(said), (indexed.to_owned(), looked_up.to_owned()), "{said:?}");
    }
}

#[test]
fn a_calendar_pasted_in_is_cut() {
    let page: Vec<String> = (1..=31).map(|day| format!("May {day}, 2023, and {day} July 1999")).collect();
    let found = index_terms(&mentions(&page.join("; "), date(2023, 5, 10)));
    assert_eq!(found.len(), MAX_TERMS);
    assert_eq!(found[..4], ["@2023-05-01", "@2023-05", "@2023", "@1999-07-01"]);
}

/// A span as people speak of them: mostly short, at times of years, though not of more than can be looked up.
fn any_span() -> impl Strategy<Value = Span> {
    let length = prop_oneof![0..1i64, 0..8i64, 0..40i64, 0..400i64, 0..1400i64];
    ((-700_000..700_000i64), length).prop_map(|(from, days)| {
        let day =
            |number: i64| date(2000, 1, 1).saturating_add(jiff::SignedDuration::from_hours(24 * number));
        Span { first: day(from), last: day(from + days) }
    })
}

/// Texts of the words that the grammar knows, of others, and of signs.
fn any_text() -> impl Strategy<Value = String> {
    let words = "the a two few couple of last past this next coming early end mid May may march April Sept. sat Friday \
                 day days week weekend months year years ago before after from now in on by since to and every Black \
                 yesterday today night Christmas Eve New Year's summer fall will is was we 7 7th 31 5-7 29 February 2000 \
                 2022 9999 2023-05-07 13/5/2023 2019-2021 2023-05 mid-May Friday/Sunday week's cat Anna dog.";
    let words: Vec<&'static str> = words.split_whitespace().collect();
    let gaps =
        vec![" ", " ", " ", " ", ", ", ". ", "\n", "", "-", "'", "’", "–", "\u{a0}", "\u{301}", "日本"];
    let piece = (prop::sample::select(words), prop::sample::select(gaps))
        .prop_map(|(word, gap)| format!("{word}{gap}"));
    prop_oneof![
        4 => prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
        1 => "[ \\-/.:'’–@_0-9a-zA-Z]{0,60}",
    ]
}

fn any_day() -> impl Strategy<Value = Date> {
    prop_oneof![
        6 => (1990..2040i16, 1..=12i8, 1..=31i8),
        1 => (-9999..=9999i16, 1..=12i8, 1..=31i8),
        1 => (9998..=9999i16, 12..=12i8, 1..=31i8),
        1 => (-9999..=-9998i16, 1..=1i8, 1..=31i8),
    ]
    .prop_filter_map("no such day", |(year, month, day)| Date::new(year, month, day).ok())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_text_is_read_in_order_and_without_overlaps(said in any_text(), said_on in any_day()) {
        let found = mentions(&said, said_on);
        let mut end = 0;
        for mention in &found {
            prop_assert!(end <= mention.words.start && mention.words.start < mention.words.end, "{:?}", found);
            prop_assert!(said.get(mention.words.clone()).is_some(), "{:?}", found);
            prop_assert!(mention.span.first <= mention.span.last, "{:?}", found);
            end = mention.words.end;
        }
        let indexed = index_terms(&found);
        prop_assert!(indexed.len() <= MAX_TERMS);
        let each_once: std::collections::BTreeSet<&String> = indexed.iter().collect();
        prop_assert_eq!(each_once.len(), indexed.len());
    }

    #[test]
    fn what_does_not_lean_on_the_day_is_the_same_on_any(said in any_text(), one in any_day(), other in any_day()) {
        let fixed = |said_on| {
            let found = mentions(&said, said_on);
            found.into_iter().filter(|mention| !mention.relative).collect::<Vec<_>>()
        };
        // Near its ends the calendar has no "yesterday", so that other words are left to read.
        if one.year().abs() < 9000 && other.year().abs() < 9000 {
            prop_assert_eq!(fixed(one), fixed(other));
        }
    }

    #[test]
    fn terms_are_few_and_no_words(span in any_span()) {
        let indexed = terms(&span);
        prop_assert!((1..=14).contains(&indexed.len()), "{:?}", indexed);
        for term in &indexed {
            prop_assert!(!text::terms(term).contains(term), "the analyser gives {} as well", term);
        }
        prop_assert!(lookup_terms(&span).iter().all(|term| indexed.contains(term)));
    }

    /// Who asks for a span finds every text that speaks of days in it.
    #[test]
    fn a_wider_question_finds_what_lies_in_it(asked in any_span(), from in 0..1400i32, days in 0..1400i32) {
        let day = |number: i32| asked.first.saturating_add(jiff::SignedDuration::from_hours(24 * i64::from(number)));
        let said = Span { first: day(from).min(asked.last), last: day(from + days).min(asked.last) };
        let (looked_up, indexed) = (lookup_terms(&asked), terms(&said));
        prop_assert!(looked_up.iter().any(|term| indexed.contains(term)), "{:?} {:?}", looked_up, indexed);
    }
}
