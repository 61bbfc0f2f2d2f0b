//! The figures of calibration, against examples that were computed by hand.

use selfsame_core::knowledge::calibration::{Forecast, brier, reliability};

fn forecasts(all: &[(f64, bool)]) -> Vec<Forecast> {
    all.iter().map(|(confidence, is_true)| Forecast { confidence: *confidence, is_true: *is_true }).collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

#[test]
fn brier_is_the_mean_square_of_the_error() {
    // (0.2² + 0.9² + 0.4² + 0.5²) / 4 = (0.04 + 0.81 + 0.16 + 0.25) / 4
    let some = forecasts(&[(0.8, true), (0.9, false), (0.4, false), (0.5, true)]);
    close(brier(&some).unwrap(), 0.315);
    close(brier(&forecasts(&[(1.0, true), (0.0, false)])).unwrap(), 0.0);
    close(brier(&forecasts(&[(0.5, true), (0.5, false), (0.5, false)])).unwrap(), 0.25);
    assert_eq!(brier(&[]), None);
}

#[test]
fn the_table_sets_confidence_beside_truth() {
    let some =
        forecasts(&[(0.82, true), (0.88, true), (0.85, false), (0.1, false), (1.0, true), (0.95, true)]);
    let table = reliability(&some);
    let rows: Vec<(f64, usize)> = table.iter().map(|tenth| (tenth.from, tenth.count)).collect();
    assert_eq!(rows, [(0.1, 1), (0.8, 3), (0.9, 2)]);
    close(table[1].confidence, 0.85);
    close(table[1].is_true, 2.0 / 3.0);
    close(table[2].confidence, 0.975);
    assert_eq!((table[0].is_true, table[2].is_true), (0.0, 1.0));
    assert_eq!(reliability(&[]), []);
}
