//! Whether a confidence means what it says: of the beliefs that are held at 0.8, about 80 % should be true.

/// A belief at some moment: how far it was believed, and whether it was true.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// From 0 to 1.
    pub confidence: f64,
    /// What was so.
    pub is_true: bool,
}

impl Forecast {
    fn outcome(&self) -> f64 {
        f64::from(u8::from(self.is_true))
    }
}

/// The Brier score: the mean square of how far confidence was from what was so. 0 is perfect; always saying 0.5 gives
/// 0.25. Nothing of nothing.
pub fn brier(forecasts: &[Forecast]) -> Option<f64> {
    let error = |one: &Forecast| {
        let off = one.confidence - one.outcome();
        off * off
    };
    mean(forecasts.iter().map(error))
}

/// The beliefs whose confidence lies in one tenth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tenth {
    /// Where it begins; the last one has 1 in it.
    pub from: f64,
    /// How many beliefs.
    pub count: usize,
    /// How far they were believed, on average.
    pub confidence: f64,
    /// The share of them that was true.
    pub is_true: f64,
}

/// The reliability table: confidence against truth, by tenths. Tenths without a belief are left out.
pub fn reliability(forecasts: &[Forecast]) -> Vec<Tenth> {
    let tenth_of = |one: &Forecast| ((one.confidence * 10.0) as usize).min(9);
    let mut table = Vec::new();
    for tenth in 0..10 {
        let of_it = || forecasts.iter().filter(|one| tenth_of(one) == tenth);
        let means = mean(of_it().map(|one| one.confidence)).zip(mean(of_it().map(Forecast::outcome)));
        if let Some((confidence, is_true)) = means {
            table.push(Tenth { from: tenth as f64 / 10.0, count: of_it().count(), confidence, is_true });
        }
    }
    table
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}
