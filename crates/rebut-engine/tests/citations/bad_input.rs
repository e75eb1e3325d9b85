//! Texts and files that mean harm: a result for each, never a crash, a hang or a read outside.
