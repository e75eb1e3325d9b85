//! Natural language.
