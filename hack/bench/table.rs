//! Figures to Markdown. Pure.

use std::time::Duration;

use super::artefact::Artefact;
use super::contender::Contender;
use super::contender::Figures;
use super::launch::Run;
use super::machine::Facts;

pub(crate) fn render(
    facts: &Facts,
    contenders: &[Contender; 3],
    figures: &[Figures; 3],
    file: &Artefact,
) -> String {
    let Facts { date, processor, cores, kernel, load, rounds } = facts;
    let names = contenders.each_ref().map(|contender| contender.name);
    let head = format!(
        "Measured on {date}: {processor}, {cores} cores, Linux {kernel}; {rounds} rounds, load before them {load}."
    );
    let measured = measures(figures);
    let table = rows(&["one retirement", names[0], names[1], names[2]], &measured);
    let [ours, floor, peer] = figures;
    let budgets: Vec<[String; 4]> = budgets(ours, floor, peer, file).iter().map(Budget::row).collect();
    let verdicts = rows(&["budget", "measured", "allowed", ""], &budgets);
    format!("{head}\n\n{table}\n{verdicts}")
}

fn measures(figures: &[Figures]) -> Vec<[String; 4]> {
    let row = |title: &str, cell: &dyn Fn(&Figures) -> String| -> [String; 4] {
        let mut cells = figures.iter().map(cell);
        std::array::from_fn(
            |index| {
                if index == 0 { title.to_owned() } else { cells.next().unwrap_or_default() }
            },
        )
    };
    vec![
        row("wall, p50", &|of| milliseconds(wall(of, 50))),
        row("wall, p99", &|of| milliseconds(wall(of, 99))),
        row("CPU, user and system, p50", &|of| milliseconds(cpu(of))),
        row("peak memory, largest", &|of| mebibytes(memory(of))),
        row("start to first packet, p50", &|of| milliseconds(first_packet(of))),
        row("HTTP requests", &|of| of.counts.requests.to_string()),
        row("SQL statements", &|of| of.counts.statements.to_string()),
        row("system calls", &|of| of.counts.system_calls.map_or_else(String::new, |calls| calls.to_string())),
    ]
}

fn budgets(ours: &Figures, floor: &Figures, peer: &Figures, file: &Artefact) -> Vec<Budget> {
    let own = wall(ours, 50);
    let size = |bytes: usize| u32::try_from(bytes).map_or(f64::INFINITY, f64::from) / MEBI;
    let interpreters = if file.is_static_pie { 0.0 } else { 1.0 };
    let new = |name, unit, measured, allowed| Budget { name, unit, measured, allowed };
    vec![
        new("wall p50 : the floor's", "", own / wall(floor, 50), 0.8),
        new("wall p50 : the Node client's", "", own / wall(peer, 50), 1.0 / 6.0),
        new("CPU, p50", " ms", cpu(ours), 8.0),
        new("peak memory", " MiB", memory(ours), 10.0),
        new("start to first packet, p50", " ms", first_packet(ours), 2.0),
        new("binary", " MiB", size(file.size), 12.0),
        new("binary, gzip -9", " MiB", size(file.compressed), 5.0),
        new("interpreters that it needs (static-pie)", "", interpreters, 0.0),
    ]
}

struct Budget {
    name: &'static str,
    unit: &'static str,
    measured: f64,
    allowed: f64,
}

impl Budget {
    fn row(&self) -> [String; 4] {
        let Self { name, unit, measured, allowed } = self;
        let verdict = match measured - allowed {
            excess if excess <= 0.0 => "met".to_owned(),
            excess => format!("missed by {excess:.2}{unit}"),
        };
        [(*name).to_owned(), format!("{measured:.2}{unit}"), format!("{allowed:.2}{unit}"), verdict]
    }
}

fn rows(head: &[&str; 4], body: &[[String; 4]]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head = head.map(str::to_owned);
    let rule = "| --- | --- | --- | --- |\n".to_owned();
    [line(&head), rule].into_iter().chain(body.iter().map(|cells| line(cells))).collect()
}

/// Milliseconds.
fn wall(figures: &Figures, percent: usize) -> f64 {
    percentile(times(figures, |run| run.wall), percent)
}

fn cpu(figures: &Figures) -> f64 {
    percentile(times(figures, |run| run.cpu), 50)
}

fn first_packet(figures: &Figures) -> f64 {
    percentile(figures.first_packets.iter().map(as_milliseconds).collect(), 50)
}

/// MiB.
fn memory(figures: &Figures) -> f64 {
    let peak = figures.runs.iter().map(|run| run.peak_memory).max().unwrap_or_default();
    u32::try_from(peak).map_or(f64::INFINITY, f64::from) / 1024.0
}

fn times(figures: &Figures, take: impl Fn(&Run) -> Duration) -> Vec<f64> {
    figures.runs.iter().map(|run| as_milliseconds(&take(run))).collect()
}

/// The nearest rank: at least so many percent of the values are not above it.
fn percentile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100);
    values.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

fn as_milliseconds(time: &Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn milliseconds(value: f64) -> String {
    format!("{value:.1} ms")
}

fn mebibytes(value: f64) -> String {
    format!("{value:.1} MiB")
}

const MEBI: f64 = 1024.0 * 1024.0;
