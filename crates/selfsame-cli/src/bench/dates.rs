//! Dates as the benchmarks write them. Their clocks have no zone; all are taken to be UTC.

use selfsame::time::civil::{Date, DateTime};
use selfsame::time::{Time, Zone};

/// `1:56 pm on 8 May, 2023`, as LoCoMo has it.
pub(super) fn of_session(text: &str) -> Option<Time> {
    Some(Zone::utc().instant(DateTime::strptime("%I:%M %p on %d %B, %Y", text.trim()).ok()?))
}

/// `March-15-2024`, as BEAM has it.
pub(super) fn of_anchor(text: &str) -> Option<Time> {
    let day = Date::strptime("%B-%d-%Y", text.trim()).ok()?;
    Some(Zone::utc().instant(day.at(0, 0, 0, 0)))
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
