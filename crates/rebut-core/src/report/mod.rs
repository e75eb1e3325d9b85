//! A debate rendered to documents.
