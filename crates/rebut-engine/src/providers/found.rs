//! Which tools and services can take a seat that was not named, and why the others cannot.

use rebut_core::debate::{Effort, SeatPlan};

use super::{
    Providers, SeatError, Service, ServiceCheckup, ServiceError, Standing, TOOLS, Transport, http, on_own_thread, seat_plan,
};

#[derive(Debug, Default)]
pub struct Found {
    /// The seats that can be filled, best first.
    pub seats: Vec<SeatPlan>,
    /// The others, in the order in which they were checked.
    pub passed_over: Vec<PassedOver>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    pub why: String,
    /// Whether the user has configured it, and would miss it.
    pub is_set_up: bool,
}

impl Found {
    fn pass_over(&mut self, why: &impl ToString, is_set_up: bool) {
        self.passed_over.push(PassedOver { why: why.to_string(), is_set_up });
    }
}

impl Providers {
    /// Every tool and service that could take a seat: tools, then services with a key, then the user's own servers. Scripts
    /// must be named.
    pub fn look_around(&self, effort: Effort, transport: Transport) -> Found {
        let (mut found, services) = (self.find_tools(effort, transport), self.find_services(effort));
        found.seats.extend(services.seats);
        found.passed_over.extend(services.passed_over);
        found
    }

    /// The services that could be used now, best first: those with a key, then the user's own servers that answer. A server
    /// has a seat for each of its models, so two of them can debate.
    pub fn find_services(&self, effort: Effort) -> Found {
        let mut found = Found::default();
        // A runtime of its own has connections of its own, which end with it.
        let clients = http::Clients::default();
        let mut checkups = on_own_thread(self.check_services(&clients)).unwrap_or_default();
        checkups.sort_by_key(|checkup| checkup.service.as_ref().is_some_and(Service::is_own_server));
        for ServiceCheckup { name, service, standing, .. } in checkups {
            let (service, listed) = match (service, standing) {
                (Some(service), Ok(Standing::Answers(listed))) => (service, listed),
                (Some(service), Ok(Standing::Key(_))) => (service, Vec::new()),
                (None, Ok(_)) => continue,
                (_, Err(error)) => {
                    let is_set_up = match error {
                        ServiceError::NoKey { .. } | ServiceError::NotAnswering { .. } => false,
                        // On a built-in address something may answer that has nothing to do with models.
                        ServiceError::AnswersOtherwise { .. } => self.services.contains_key(&name),
                        _ => true,
                    };
                    found.pass_over(&error, is_set_up);
                    continue;
                }
            };
            let first = service.model_for(effort).map(str::to_owned);
            let others = listed.into_iter().filter(|model| Some(model) != first.as_ref());
            let models: Vec<String> = first.iter().cloned().chain(others).collect();
            if models.is_empty() && service.is_own_server() {
                found.pass_over(&format!("{name} answers and has no model"), true);
            } else if models.is_empty() {
                found.pass_over(&http::no_model(&service, effort), false);
            }
            found.seats.extend(models.into_iter().map(|model| http::seat_plan(&service, model)));
        }
        found
    }

    /// The tools that can take a seat. They are all looked for at the same time.
    fn find_tools(&self, effort: Effort, transport: Transport) -> Found {
        let looks = std::thread::scope(|scope| {
            let looks: Vec<_> = TOOLS
                .into_iter()
                .map(|tool| (tool, scope.spawn(|| self.greeted.reach(tool, transport, &self.tools))))
                .collect();
            looks.into_iter().filter_map(|(tool, look)| Some((tool, look.join().ok()?))).collect::<Vec<_>>()
        });
        let mut found = Found::default();
        for (tool, reached) in looks {
            match reached.and_then(|reached| self.own_settings_can_be_read(tool).map(|()| reached)) {
                Ok(reached) => found.seats.push(seat_plan(tool, &reached, self.model_for(tool, effort))),
                Err(error) => {
                    let is_set_up = matches!(error, SeatError::NoProgram { .. } | SeatError::OwnSettings { .. });
                    found.pass_over(&error, is_set_up);
                }
            }
        }
        found
    }
}
