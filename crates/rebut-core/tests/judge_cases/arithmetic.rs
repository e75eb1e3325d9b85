//! Arithmetic cases: each answer is computed.

use super::proofs;

proofs! {
    "product-of-four-and-three-digits" => {
        3847 * 296
    }
    "power-of-seven-modulo-thirteen" => {
        (0..222).fold(1_u32, |power, _| power * 7 % 13)
    }
    "trailing-zeros-of-a-factorial" => {
        (1..=1000_u32).map(|n| (1..5).filter(|k| n % 5_u32.pow(*k) == 0).count()).sum::<usize>()
    }
    "divisors-of-720720" => {
        (1..=720_720_u32).filter(|d| 720_720 % d == 0).count()
    }
    "up-and-down-by-percent" => {
        250 * 120 / 100 * 80 / 100 * 125 / 100
    }
    "average-speed-there-and-back" => {
        (60.0 + 60.0) / (60.0 / 40.0 + 60.0 / 60.0)
    }
    "multiples-of-three-or-five-but-not-both" => {
        (1..=1000).filter(|n| (n % 3 == 0) != (n % 5 == 0)).count()
    }
    "digit-sum-of-a-power-of-two" => {
        (1_u64 << 50).to_string().bytes().map(|digit| u32::from(digit - b'0')).sum::<u32>()
    }
    "greatest-common-divisor" => {
        let (mut a, mut b) = (123_456, 7890);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    }
    "primes-between-100-and-150" => {
        (100..=150).filter(|n| (2..*n).all(|d| n % d != 0)).count()
    }
    "last-two-digits-of-a-power" => {
        (0..100).fold(1_u32, |power, _| power * 3 % 100)
    }
    "change-for-fifty" => {
        let mut ways = [0_u32; 51];
        ways[0] = 1;
        for coin in [1, 5, 10, 25] {
            for amount in coin..=50 {
                ways[amount] += ways[amount - coin];
            }
        }
        ways[50]
    }
    "paths-that-avoid-the-centre" => {
        let mut paths = [[0_u32; 5]; 5];
        for x in 0..5 {
            for y in 0..5 {
                let from = |dx: usize, dy: usize| if x >= dx && y >= dy { paths[x - dx][y - dy] } else { 0 };
                let sum = from(1, 0) + from(0, 1);
                paths[x][y] = match (x, y) {
                    (0, 0) => 1,
                    (2, 2) => 0,
                    _ => sum,
                };
            }
        }
        paths[4][4]
    }
    "at-least-one-six" => {
        (0..1296_u32).filter(|n| (0..4).any(|place| n / 6_u32.pow(place) % 6 == 5)).count()
    }
    "angle-of-clock-hands" => {
        let hour = 3 * 30 + 40 / 2;
        let minute = 40 * 6;
        let angle: i32 = minute - hour;
        angle.min(360 - angle)
    }
    "sum-of-odd-numbers" => {
        (101..=199).step_by(2).sum::<i32>()
    }
    "binary-product" => {
        format!("{:b}", 0b101_1011 * 0b11)
    }
    "period-of-a-decimal-fraction" => {
        (1..41_u32).find(|length| (0..*length).fold(1_u32, |power, _| power * 10 % 41) == 1).unwrap()
    }
    "squares-or-cubes" => {
        (1..=10_000_u32).filter(|n| (1..=100).any(|root| root * root == *n || root * root * root == *n)).count()
    }
    "letters-in-wrong-envelopes" => {
        let mut wrong = [1_u32, 0, 0, 0, 0, 0, 0];
        for n in 2..=6 {
            wrong[n] = (n as u32 - 1) * (wrong[n - 1] + wrong[n - 2]);
        }
        wrong[6]
    }
    "two-pipes-and-a-drain" => {
        let twelfths_per_hour = 2 + 3 - 1;
        12 * 60 / twelfths_per_hour
    }
    "how-often-a-digit-is-written" => {
        (1..=1000).flat_map(|n: u32| n.to_string().into_bytes()).filter(|digit| *digit == b'7').count()
    }
    "modular-inverse" => {
        (1..=100).find(|x| 37 * x % 101 == 1).unwrap()
    }
}
