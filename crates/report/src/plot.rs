//! SVG plots with logarithmic time and one color per solver, readable without scripts
//! (R08-2.5).

use std::fmt::Write;

/// Appends to a string, which cannot fail.
macro_rules! put {
    ($text:expr, $($words:tt)*) => {
        let _ = write!($text, $($words)*);
    };
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 48.0;

/// The start of time axes, in seconds. Shorter times are drawn at the start.
const SHORTEST: f64 = 0.01;

/// A logarithmic axis of seconds, from [`SHORTEST`] to the limit, over a span of pixels.
struct TimeAxis {
    limit: f64,
    from: f64,
    to: f64,
}

impl TimeAxis {
    fn at(&self, seconds: f64) -> f64 {
        let share = (seconds.clamp(SHORTEST, self.limit) / SHORTEST).ln() / (self.limit / SHORTEST).ln();
        self.from + (self.to - self.from) * share
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (-2..7).map(|power| 10_f64.powi(power)).filter(|tick| *tick < self.limit * 0.9).chain([self.limit])
    }
}

fn label(seconds: f64) -> String {
    if seconds >= 1.0 { format!("{seconds:.0} s") } else { format!("{seconds} s") }
}

/// One solver in a cactus plot: its name and its solving times.
pub(crate) struct Curve<'a> {
    pub(crate) name: &'a str,
    pub(crate) times: Vec<f64>,
}

/// A cactus plot: the number of benchmarks that each solver solves within each time.
pub(crate) fn cactus(curves: &[Curve<'_>], limit: f64, benchmarks: usize) -> String {
    let limit = limit.max(2.0 * SHORTEST);
    let time = TimeAxis { limit, from: HEIGHT - BOTTOM, to: TOP };
    let count = |solved: usize| LEFT + (WIDTH - LEFT - RIGHT) * solved as f64 / benchmarks.max(1) as f64;
    let mut svg = open("cactus", "Number of benchmarks that each solver solves within a given time");
    horizontal_grid(&mut svg, &time);
    for solved in count_ticks(benchmarks) {
        let x = count(solved);
        line(&mut svg, "grid", [x, TOP, x, HEIGHT - BOTTOM]);
        text(&mut svg, "tick", x, HEIGHT - BOTTOM + 18.0, "middle", &solved.to_string());
    }
    text(&mut svg, "axis", (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0, "middle", "benchmarks solved");
    for (at, curve) in curves.iter().enumerate() {
        let mut times = curve.times.clone();
        times.sort_by(f64::total_cmp);
        let mut points = String::new();
        for (solved, seconds) in times.iter().enumerate() {
            put!(points, "{:.1},{:.1} ", count(solved + 1), time.at(*seconds));
        }
        let series = format!("series s{}", at % 8);
        let title = escaped(&format!("{}: {} solved", curve.name, times.len()));
        put!(svg, "<g class=\"{series}\"><title>{title}</title><polyline points=\"{}\"/>", points.trim_end());
        if let Some(last) = times.last() {
            put!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>", count(times.len()), time.at(*last));
        }
        svg.push_str("</g>");
        legend(&mut svg, at, &series, &format!("{} ({})", curve.name, times.len()));
    }
    svg.push_str("</svg>");
    svg
}

/// One benchmark in a scatter plot.
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) page: String,
    pub(crate) class: &'static str,
    /// The seconds of each solver; `None` if unsolved.
    pub(crate) times: Vec<Option<f64>>,
}

/// A scatter plot that compares two solvers on each benchmark. Every point contains the times of all solvers, so that
/// the page's script can put other solvers on the axes.
pub(crate) fn scatter(solvers: &[&str], points: &[Point], limit: f64) -> String {
    let limit = limit.max(2.0 * SHORTEST);
    let side = HEIGHT - TOP - BOTTOM;
    let across = TimeAxis { limit, from: LEFT, to: LEFT + side };
    let up = TimeAxis { limit, from: HEIGHT - BOTTOM, to: TOP };
    // Unsolved benchmarks are drawn on a separate line beyond the limit.
    let (never_across, never_up) = (across.to + 14.0, up.to - 10.0);
    let mut svg = open("scatter", "Times of two solvers on each benchmark");
    let attributes = format!(
        " data-limit=\"{limit}\" data-shortest=\"{SHORTEST}\" data-x=\"{},{},{never_across}\" data-y=\"{},{},{never_up}\"",
        across.from, across.to, up.from, up.to
    );
    svg.insert_str("<svg".len(), &attributes);
    for tick in across.ticks() {
        let (x, y) = (across.at(tick), up.at(tick));
        line(&mut svg, "grid", [x, TOP, x, HEIGHT - BOTTOM]);
        line(&mut svg, "grid", [LEFT, y, across.to, y]);
        text(&mut svg, "tick", x, HEIGHT - BOTTOM + 18.0, "middle", &label(tick));
        text(&mut svg, "tick", LEFT - 6.0, y + 4.0, "end", &label(tick));
    }
    line(&mut svg, "diagonal", [across.from, up.from, across.to, up.to]);
    let name = |at: usize| solvers.get(at).copied().unwrap_or("-");
    text(&mut svg, "axis x-name", LEFT + side / 2.0, HEIGHT - 8.0, "middle", name(0));
    let (x, y) = (16.0, TOP + side / 2.0);
    put!(
        svg,
        "<text class=\"axis y-name\" transform=\"rotate(-90 {x} {y})\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>",
        escaped(name(1))
    );
    for point in points {
        let place = |axis: &TimeAxis, never: f64, solver: usize| {
            point.times.get(solver).copied().flatten().map_or(never, |seconds| axis.at(seconds))
        };
        let times: Vec<String> =
            point.times.iter().map(|time| time.map_or("-".into(), |seconds| format!("{seconds:.3}"))).collect();
        put!(
            svg,
            "<a href=\"{}\"><circle class=\"{}\" data-times=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{}</title></circle></a>",
            escaped(&point.page),
            point.class,
            times.join(" "),
            place(&across, never_across, 0),
            place(&up, never_up, 1),
            escaped(&point.name),
        );
    }
    for (at, (class, words)) in
        [("sat", "satisfiable"), ("unsat", "unsatisfiable"), ("unknown", "unknown")].iter().enumerate()
    {
        let y = TOP + 12.0 + 20.0 * at as f64;
        put!(svg, "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"4\"/>", across.to + 44.0, y - 4.0);
        text(&mut svg, "legend", across.to + 54.0, y, "start", words);
    }
    svg.push_str("</svg>");
    svg
}

fn open(class: &str, what: &str) -> String {
    format!(
        "<svg class=\"plot {class}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escaped(what)
    )
}

fn horizontal_grid(svg: &mut String, time: &TimeAxis) {
    for tick in time.ticks() {
        let y = time.at(tick);
        line(svg, "grid", [LEFT, y, WIDTH - RIGHT, y]);
        text(svg, "tick", LEFT - 6.0, y + 4.0, "end", &label(tick));
    }
}

fn legend(svg: &mut String, at: usize, series: &str, words: &str) {
    let (x, y) = (WIDTH - RIGHT + 14.0, TOP + 12.0 + 20.0 * at as f64);
    put!(svg, "<g class=\"{series}\">");
    line(svg, "key", [x, y - 4.0, x + 18.0, y - 4.0]);
    svg.push_str("</g>");
    text(svg, "legend", x + 24.0, y, "start", words);
}

/// The multiples of a round number up to the number of benchmarks: at most nine.
fn count_ticks(benchmarks: usize) -> impl Iterator<Item = usize> {
    let step = [1, 2, 5].into_iter().flat_map(|unit| (0..7).map(move |power| unit * 10_usize.pow(power)));
    let step = step.filter(|step| benchmarks / step <= 8).min().unwrap_or(1);
    (0..=benchmarks).step_by(step)
}

fn line(svg: &mut String, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
    put!(svg, "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>");
}

fn text(svg: &mut String, class: &str, x: f64, y: f64, anchor: &str, words: &str) {
    put!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(words));
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_logarithmic_and_clamp_times() {
        let axis = TimeAxis { limit: 100.0, from: 0.0, to: 400.0 };
        assert_eq!((axis.at(0.01), axis.at(1.0), axis.at(100.0)), (0.0, 200.0, 400.0));
        assert_eq!((axis.at(0.0), axis.at(5000.0)), (0.0, 400.0));
    }

    #[test]
    fn names_are_escaped() {
        let svg = cactus(&[Curve { name: "<script>\"&", times: vec![1.0] }], 5.0, 1);
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
    }

    #[test]
    fn plots_without_data_are_complete() {
        assert!(cactus(&[], 0.001, 0).ends_with("</svg>"));
        assert!(scatter(&["one"], &[], 5.0).ends_with("</svg>"));
    }
}
