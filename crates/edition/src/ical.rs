//! A calendar as an iCalendar file (RFC 5545).

use crate::calendar::Calendar;
use jiff::Timestamp;
use std::fmt::Write;

/// The calendar of a competition with this title, as an iCalendar file.
pub fn icalendar(title: &str, calendar: &Calendar, now: Timestamp) -> String {
    let mut text = String::new();
    let mut line = |content: String| fold(&mut text, &content);
    line("BEGIN:VCALENDAR".into());
    line("VERSION:2.0".into());
    line("PRODID:-//Agon//Calendar//EN".into());
    for (milestone, track, at) in calendar.all() {
        let of = track.map_or(String::new(), |track| format!(", {track} track"));
        let id: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
        let part = track.map_or("all", |track| track.name());
        line("BEGIN:VEVENT".into());
        line(format!("UID:{milestone}-{part}-{id}@agon"));
        line(format!("DTSTAMP:{}", now.strftime("%Y%m%dT%H%M%SZ")));
        if at.is_day() {
            line(format!("DTSTART;VALUE=DATE:{}", at.date().strftime("%Y%m%d")));
        } else {
            line(format!("DTSTART:{}", at.first().strftime("%Y%m%dT%H%M%SZ")));
        }
        line(format!("SUMMARY:{}", escaped(&format!("{title}: {}{of}", milestone.title()))));
        line(format!("DESCRIPTION:{}", escaped(&at.to_string())));
        line("END:VEVENT".into());
    }
    line("END:VCALENDAR".into());
    text
}

/// A text value, with its special characters escaped.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '\\' | ';' | ',' => escaped.extend(['\\', char]),
            '\n' => escaped.push_str("\\n"),
            char if char.is_control() => {}
            char => escaped.push(char),
        }
    }
    escaped
}

/// Appends a line, folded so that no line is longer than 75 bytes.
fn fold(text: &mut String, line: &str) {
    let mut length = 0;
    for char in line.chars() {
        if length + char.len_utf8() > 75 {
            text.push_str("\r\n ");
            length = 1;
        }
        length += char.len_utf8();
        let _ = text.write_char(char);
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r08_6_1_a_calendar_is_exported_with_escaped_and_folded_lines() {
        let dates = serde_json::json!({"start": "2019-06-20", "results": "2019-07-07 09:00 UTC"});
        let calendar: Calendar = serde_json::from_value(dates).unwrap();
        let title = format!("Mine; ours, {}", "é".repeat(60));
        let text = icalendar(&title, &calendar, Timestamp::UNIX_EPOCH);
        assert!(text.starts_with("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"), "{text}");
        assert!(text.contains("DTSTART;VALUE=DATE:20190620\r\n") && text.contains("DTSTART:20190707T090000Z\r\n"));
        assert!(text.contains("SUMMARY:Mine\\; ours\\, é"));
        assert!(text.lines().all(|line| line.len() <= 75), "{text}");
    }
}
