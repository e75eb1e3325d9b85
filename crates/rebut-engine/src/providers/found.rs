//! Who can take a seat that nobody was named for, and why the others cannot.

use rebut_core::debate::{Effort, SeatPlan};

use super::{Providers, SeatError, Service, ServiceError, TOOLS, Transport, http, seat_plan};

#[derive(Debug, Default)]
pub struct Found {
    /// The seats that can be filled, best first.
    pub seats: Vec<SeatPlan>,
    /// Those who cannot be seated, in the order in which they were looked for.
    pub passed_over: Vec<PassedOver>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    pub why: String,
    /// Whether the person has set something up for it, so that its silence would be missed.
    pub is_set_up: bool,
}

impl Found {
    fn and(mut self, other: Self) -> Self {
        self.seats.extend(other.seats);
        self.passed_over.extend(other.passed_over);
        self
    }

    fn pass_over(&mut self, why: &impl ToString, is_set_up: bool) {
        self.passed_over.push(PassedOver { why: why.to_string(), is_set_up });
    }
}

impl Providers {
    /// Looks for everybody who could take a seat: tools, then services with a key, then servers of one's own.
    ///
    /// A script is never among them: it is not a voice but a file, and is taken only when it is named.
    pub fn look_around(&self, effort: Effort, transport: Transport) -> Found {
        self.find_tools(effort, transport).and(self.find_services(effort))
    }

    /// The seats that can be filled without being named, best first.
    pub fn available(&self, effort: Effort, transport: Transport) -> Vec<SeatPlan> {
        self.look_around(effort, transport).seats
    }

    /// The services that could be used now, best first: those whose key is set, then servers of one's own that answer.
    pub fn available_services(&self, effort: Effort) -> Vec<SeatPlan> {
        self.find_services(effort).seats
    }

    /// Such servers are all asked at the same time. A server has a seat for each of its models: two of them can debate.
    fn find_services(&self, effort: Effort) -> Found {
        let variable = |name: &str| self.variable(name);
        let mut found = Found::default();
        let mut servers: Vec<Service> = Vec::new();
        for service in self.all_services() {
            let service = match service {
                Ok(service) => service,
                Err(error) => {
                    found.pass_over(&error, true);
                    continue;
                }
            };
            if service.is_own_server() {
                servers.push(service);
                continue;
            }
            match http::plan(&service, None, effort, &variable) {
                Ok(plan) => found.seats.push(plan),
                Err(error) => {
                    let is_set_up = matches!(error, ServiceError::BadKey { .. } | ServiceError::Unencrypted { .. });
                    found.pass_over(&error, is_set_up);
                }
            }
        }
        let listings = http::listings_blocking(&servers);
        for (service, listed) in servers.iter().zip(listings) {
            let listed = match listed {
                Ok(listed) => listed,
                Err(http::Unlisted::Silent) => {
                    found.pass_over(&format!("{} does not answer at {}", service.name, service.base_url), false);
                    continue;
                }
                // On a built-in address that nobody has set, anything may answer that has nothing to do with models.
                Err(http::Unlisted::Strange(how)) => {
                    let is_set_up = self.services.contains_key(&service.name);
                    found.pass_over(&format!("{} at {} {how}", service.name, service.base_url), is_set_up);
                    continue;
                }
            };
            let first = service.model_for(effort).map(str::to_owned);
            let others = listed.into_iter().filter(|model| Some(model) != first.as_ref());
            let models: Vec<String> = first.iter().cloned().chain(others).collect();
            if models.is_empty() {
                found.pass_over(&format!("{} answers and has no model", service.name), true);
            }
            found.seats.extend(models.into_iter().map(|model| http::seat_plan(service, model)));
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
