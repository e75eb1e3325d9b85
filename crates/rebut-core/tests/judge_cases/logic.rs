//! Logic cases: every world, model, order or move is enumerated.

use super::{implies, knight_or_knave, models, pairs, permutations, proofs, triples, yes_or_no};

proofs! {
    "affirming-the-consequent" => {
        let follows = pairs().all(|(cold, high)| !(implies(cold, high) && high) || cold);
        yes_or_no(follows)
    }
    "chain-with-a-contradiction" => {
        let follows = triples().all(|(flaky, retried, pinned)| {
            !(implies(flaky, retried) && implies(pinned, !retried) && pinned) || !flaky
        });
        yes_or_no(follows)
    }
    "both-of-us-lie" => {
        let worlds: Vec<bool> = pairs().filter(|(ann, ben)| *ann == (!ann && !ben)).map(|(_, ben)| ben).collect();
        assert_eq!(worlds.len(), 1);
        knight_or_knave(worlds[0])
    }
    "same-kind-as-the-third" => {
        let worlds: Vec<bool> =
            triples().filter(|(a, b, c)| *a == !b && *b == (a == c)).map(|(_, _, c)| c).collect();
        assert!(worlds.iter().all(|c| *c == worlds[0]));
        knight_or_knave(worlds[0])
    }
    "which-cards-to-turn" => {
        let hidden_can_break = [
            ("A", [1, 2, 3, 4, 5, 6, 7, 8, 9].iter().any(|digit| digit % 2 == 1)),
            ("K", false),
            ("4", ["A", "E", "K", "T"].iter().any(|letter| "AEIOU".contains(letter) && 4 % 2 == 1)),
            ("7", ["A", "E", "K", "T"].iter().any(|letter| "AEIOU".contains(letter) && 7 % 2 == 1)),
        ];
        let turned: Vec<&str> = hidden_can_break.iter().filter(|(_, can)| *can).map(|(card, _)| *card).collect();
        turned.join(" and ")
    }
    "some-in-the-middle" => {
        yes_or_no(models().all(|m| {
            !(m.all(|x| implies(x.a, x.b)) && m.any(|x| x.b && x.c)) || m.any(|x| x.a && x.c)
        }))
    }
    "nothing-in-common" => {
        yes_or_no(models().all(|m| {
            !(m.all(|x| !(x.a && x.b)) && m.all(|x| implies(x.c, x.b))) || m.all(|x| !(x.c && x.a))
        }))
    }
    "conclusion-from-empty-classes" => {
        yes_or_no(models().all(|m| {
            !(m.all(|x| implies(x.a, x.b)) && m.all(|x| implies(x.a, x.c))) || m.any(|x| x.b && x.c)
        }))
    }
    "the-guest-who-drinks" => {
        yes_or_no((1..=4_u32).all(|guests| {
            (0..1_u32 << guests).all(|drinking| {
                (0..guests).any(|guest| implies(drinking >> guest & 1 == 1, drinking == (1 << guests) - 1))
            })
        }))
    }
    "majority-in-a-circle" => {
        let rankings = ["abc", "bca", "cab"];
        let prefers = |x: char, y: char| rankings.iter().filter(|r| r.find(x) < r.find(y)).count() >= 2;
        assert!(prefers('a', 'b') && prefers('b', 'c'));
        yes_or_no(prefers('a', 'c'))
    }
    "three-way-exclusive-or" => {
        yes_or_no(triples().all(|(p, q, r)| (p ^ q ^ r) == (u8::from(p) + u8::from(q) + u8::from(r) == 1)))
    }
    "boxes-with-wrong-labels" => {
        let contents = ["apples", "oranges", "mixture"];
        let mut found = Vec::new();
        for (first, second, third) in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)] {
            // The boxes labelled apples, oranges and mixture, in this order; the third one gave an apple.
            if first != 0 && second != 1 && third != 2 && third != 1 {
                found.push(contents[first]);
            }
        }
        assert_eq!(found.len(), 1);
        found[0]
    }
    "orders-of-five-tasks" => {
        permutations(5)
            .iter()
            .filter(|place| place[0] < place[1] && place[0] < place[2] && place[1] < place[3] && place[2] < place[3])
            .count()
    }
    "colours-for-a-wheel" => {
        let edges: Vec<(u32, u32)> = (0..5).flat_map(|n| [(n, (n + 1) % 5), (n, 5)]).collect();
        (1..=6_u32)
            .find(|colours| {
                (0..colours.pow(6)).any(|choice| {
                    let colour = |node: u32| choice / colours.pow(node) % colours;
                    edges.iter().all(|(from, to)| colour(*from) != colour(*to))
                })
            })
            .unwrap()
    }
    "satisfying-assignments" => {
        (0..16_u8)
            .filter(|bits| {
                let [a, b, c, d] = [0, 1, 2, 3].map(|place| bits >> place & 1 == 1);
                (a || b) && (!a || c) && (!b || c) && (!c || d) && (!d || !a)
            })
            .count()
    }
    "two-forms-of-a-condition" => {
        triples().filter(|(a, b, c)| (!(a & b) | c) != (!a | (!b & c))).count()
    }
    "four-doors" => {
        // You pick door 0. Chances are counted in 1/48: each prize door has 12 of them.
        let mut won = 0;
        for prize in 0..4 {
            let can_open: Vec<i32> = (1..4).filter(|door| *door != prize).collect();
            for opened in &can_open {
                let switches = (1..4).filter(|door| door != opened);
                won += switches.filter(|door| *door == prize).count() * 12 / can_open.len() / 2;
            }
        }
        let common = (1..=48).rev().find(|n| won % n == 0 && 48 % n == 0).unwrap();
        format!("{}/{}", won / common, 48 / common)
    }
    "two-random-bits" => {
        let left: Vec<(bool, bool)> = pairs().filter(|(first, second)| *first || *second).collect();
        format!("{}/{}", left.iter().filter(|(first, second)| *first && *second).count(), left.len())
    }
    "hats-in-a-row" => {
        // A world is (back, middle, front), true for red; at most two hats are blue.
        let worlds: Vec<(bool, bool, bool)> = triples().filter(|(b, m, f)| *b || *m || *f).collect();
        let open = |known: &[(bool, bool, bool)], sees: &dyn Fn(&(bool, bool, bool)) -> bool, own: &dyn Fn(&(bool, bool, bool)) -> bool| {
            known.iter().any(|w| sees(w) && own(w)) && known.iter().any(|w| sees(w) && !own(w))
        };
        let first: Vec<_> =
            worlds.iter().copied().filter(|w| open(&worlds, &|o| (o.1, o.2) == (w.1, w.2), &|o| o.0)).collect();
        let second: Vec<_> = first.iter().copied().filter(|w| open(&first, &|o| o.2 == w.2, &|o| o.1)).collect();
        assert!(second.iter().all(|w| w.2 == second[0].2));
        if second[0].2 { "red" } else { "blue" }
    }
    "nim-with-three-piles" => {
        fn wins(piles: [u32; 3]) -> bool {
            (0..3).any(|pile| {
                (1..=piles[pile]).any(|taken| {
                    let mut left = piles;
                    left[pile] -= taken;
                    !wins(left)
                })
            })
        }
        if wins([1, 4, 5]) { "first" } else { "second" }
    }
    "symmetric-and-transitive" => {
        yes_or_no((0..512_u32).all(|bits| {
            let related = |x: u32, y: u32| bits >> (3 * x + y) & 1 == 1;
            let all = |holds: &dyn Fn(u32, u32, u32) -> bool| (0..27).all(|n| holds(n / 9, n / 3 % 3, n % 3));
            let symmetric = all(&|x, y, _| implies(related(x, y), related(y, x)));
            let transitive = all(&|x, y, z| implies(related(x, y) && related(y, z), related(x, z)));
            !(symmetric && transitive) || (0..3).all(|x| related(x, x))
        }))
    }
    "ways-to-partition-four" => {
        (0..1_u32 << 16)
            .filter(|bits| {
                let related = |x: u32, y: u32| bits >> (4 * x + y) & 1 == 1;
                (0..4).all(|x| related(x, x))
                    && (0..16).all(|n| implies(related(n / 4, n % 4), related(n % 4, n / 4)))
                    && (0..64).all(|n| implies(related(n / 16, n / 4 % 4) && related(n / 4 % 4, n % 4), related(n / 16, n % 4)))
            })
            .count()
    }
    "not-all-failing-tests" => {
        yes_or_no(models().all(|m| m.all(|x| implies(x.a, x.b)) || m.all(|x| !(x.a && x.b))))
    }
}
