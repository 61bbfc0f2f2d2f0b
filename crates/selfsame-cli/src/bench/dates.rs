//! Dates as the benchmarks write them. Their clocks have no zone; all are taken to be UTC.

use selfsame::time::civil::DateTime;
use selfsame::time::{Time, Zone};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// `1:56 pm on 8 May, 2023`, as LoCoMo has it.
pub(super) fn of_session(text: &str) -> Option<Time> {
    let (clock, date) = text.split_once(" on ")?;
    let (hour, minute) = twelve_hours(clock)?;
    let [day, month, year] = date.split_whitespace().collect::<Vec<_>>().try_into().ok()?;
    instant(year, month.trim_end_matches(','), day, hour, minute)
}

/// `March-15-2024`, as BEAM has it.
pub(super) fn of_anchor(text: &str) -> Option<Time> {
    let [month, day, year] = text.trim().split('-').collect::<Vec<_>>().try_into().ok()?;
    instant(year, month, day, 0, 0)
}

/// `1:56 pm` as hours and minutes of the day.
fn twelve_hours(text: &str) -> Option<(i8, i8)> {
    let (clock, half) = text.trim().split_once(' ')?;
    let (hour, minute) = clock.split_once(':')?;
    let hour: i8 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let after_noon = match half.trim().to_ascii_lowercase().as_str() {
        "am" => 0,
        "pm" => 12,
        _ => return None,
    };
    Some((hour % 12 + after_noon, minute.parse().ok()?))
}

fn instant(year: &str, month: &str, day: &str, hour: i8, minute: i8) -> Option<Time> {
    let month = MONTHS.iter().position(|name| *name == month.to_ascii_lowercase())? + 1;
    let (year, day) = (year.parse().ok()?, day.parse().ok()?);
    let local = DateTime::new(year, i8::try_from(month).ok()?, day, hour, minute, 0, 0).ok()?;
    Some(Zone::utc().instant(local))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(time: Option<Time>) -> String {
        time.map_or("none".into(), |time| time.to_string())
    }

    #[test]
    fn sessions_and_anchors_are_read() {
        assert_eq!(shown(of_session("1:56 pm on 8 May, 2023")), "2023-05-08T13:56:00Z");
        assert_eq!(shown(of_session("12:09 am on 13 September, 2023")), "2023-09-13T00:09:00Z");
        assert_eq!(shown(of_session("12:30 pm on 1 January, 2024")), "2024-01-01T12:30:00Z");
        assert_eq!(shown(of_anchor("March-15-2024")), "2024-03-15T00:00:00Z");
    }

    #[test]
    fn what_is_no_date_is_none() {
        for bad in
            ["", "8 May, 2023", "1:56 pm on 31 June, 2023", "13:56 pm on 8 May, 2023", "1:56 on 8 May, 2023"]
        {
            assert_eq!(of_session(bad), None, "{bad}");
        }
        for bad in ["", "March-15", "Mars-15-2024", "March-32-2024"] {
            assert_eq!(of_anchor(bad), None, "{bad}");
        }
    }
}
