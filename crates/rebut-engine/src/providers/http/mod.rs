//! Services that speak an API over HTTP: model vendors with a key, and servers on this machine.

mod anthropic;
mod api;
mod chat;
mod client;
mod connection;
mod failure;
mod gemini;
mod key;
mod prices;
mod responses;
mod schema;
mod seat;
mod services;
mod sse;

use rebut_core::debate::{Effort, SeatPlan};

pub(crate) use client::client_for;
pub(super) use client::{Clients, models};
pub(crate) use connection::{is_untrusted, reason};
pub use prices::date as price_date;
pub(crate) use prices::is_price;
pub(super) use seat::HttpSeat;
pub use seat::NAME;
pub use services::{Service, ServiceError, built_in_names, names};
pub(crate) use services::{is_address, is_loopback};

use super::cli::Variables;
use super::family::of_model;
use super::on_own_thread;

/// The plan for a model of a service: the named one, then the one for the effort, then the first that the server lists.
pub(super) fn plan(
    service: &Service,
    model: Option<String>,
    effort: Effort,
    variable: &Variables<'_>,
) -> Result<SeatPlan, ServiceError> {
    service.key(variable)?;
    let model = match model.or_else(|| service.model_for(effort).map(str::to_owned)) {
        Some(model) => model,
        None if service.is_own_server() => {
            // Planning is not async, and connections end with their runtime.
            let listed = on_own_thread(async { models(service, &Clients::default()).await });
            let listed = listed.unwrap_or_else(|| Err(service.not_answering()))?;
            listed.into_iter().next().ok_or_else(|| no_model(service, effort))?
        }
        None => return Err(no_model(service, effort)),
    };
    Ok(seat_plan(service, model))
}

/// The variable that holds a service's key, or why it has no usable key.
pub(super) fn has_key(service: &Service, variable: &Variables<'_>) -> Result<String, ServiceError> {
    service.key(variable).map(|(name, _)| name.to_owned())
}

pub(super) fn seat_plan(service: &Service, model: String) -> SeatPlan {
    SeatPlan {
        tool: service.name.clone(),
        family: family(service, &model),
        data_goes_to: service.data_goes_to.clone(),
        context_tokens: service.context_tokens,
        price: service.rates(&model).and_then(prices::Rates::price),
        transport: NAME.to_owned(),
        enforces_schema: service.structured,
        model: Some(model),
        ..SeatPlan::default()
    }
}

/// The vendor of a model. Where a service has models of many, the model's name tells, on any machine: `gemma3` is
/// Google's. Where it tells nothing, the part before a slash may: `acme/…`.
fn family(service: &Service, model: &str) -> String {
    let is_of_many = service.family == "many" || service.family == "local";
    match (of_model(model), model.split_once('/')) {
        _ if !is_of_many => service.family.clone(),
        (Some(family), _) => family.to_owned(),
        (None, Some((vendor, _))) if service.family == "many" => vendor.to_owned(),
        (None, _) if service.family == "many" => service.name.clone(),
        (None, _) => service.family.clone(),
    }
}

pub(super) fn no_model(service: &Service, effort: Effort) -> ServiceError {
    ServiceError::NoModel { service: service.name.clone(), effort: effort.as_str() }
}
