//! A stand-in for the services of the tools: one port on loopback that speaks their APIs.
//!
//! What it does is chosen by the first part of the path, so that a tool is led into a case by its base address alone:
//! `http://127.0.0.1:PORT/429/v1/messages`. Every request is written down, so that a test can see what a tool really
//! sent. It knows nothing of rebut.

mod api;
mod case;
mod instance;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

pub use api::{Asked, ToolCall};
pub use case::{ANSWER, Case};

use crate::block::ended_as_asked;
use crate::http::{Received, Response, Server, Then, lock};
use api::{ANSWER_TOOL, Api, Finish, Said, event, list};

#[derive(Debug)]
pub struct Provider {
    server: Server,
    book: Arc<Mutex<Book>>,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub case: String,
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
    /// What was asked of the model; `None` for requests that ask it nothing.
    pub asked: Option<Asked>,
}

#[derive(Debug, Default)]
struct Book {
    scripts: BTreeMap<String, Vec<ToolCall>>,
    replies: Vec<(String, String)>,
    known: instance::Known,
    requests: Vec<Request>,
    /// Where people are sent in the case of a redirect.
    elsewhere: String,
}

impl Provider {
    pub fn start() -> Self {
        let book = Arc::<Mutex<Book>>::default();
        let taken = Arc::clone(&book);
        Self { server: Server::start(move |received| take(received, &taken)), book }
    }

    /// What the model says to every prompt that holds `when`, where nothing is wrong.
    pub fn reply(&self, when: &str, text: &str) {
        lock(&self.book).replies.push((when.to_owned(), text.to_owned()));
    }

    /// Sets what the model writes into every text field with this name, such as a place to cite. `diff` is the patch it
    /// answers with.
    pub fn know(&self, name: &str, value: &str) {
        lock(&self.book).known.insert(name.to_owned(), value.into());
    }

    /// Where people are sent in the case of a redirect.
    pub fn send_elsewhere(&self, base: &str) {
        base.clone_into(&mut lock(&self.book).elsewhere);
    }

    /// How many connections there have been.
    pub fn connections(&self) -> usize {
        self.server.connections()
    }

    /// How many of them are open now.
    pub fn open_connections(&self) -> usize {
        self.server.open_connections()
    }

    /// The address under which a case is had, without a slash at its end.
    pub fn base(&self, case: &str) -> String {
        self.server.at(&format!("/{case}"))
    }

    /// Makes a case of this name in which the model asks for these calls, one after the other, and then answers with
    /// what came of them.
    pub fn script(&self, case: &str, calls: Vec<ToolCall>) {
        lock(&self.book).scripts.insert(case.to_owned(), calls);
    }

    pub fn requests(&self) -> Vec<Request> {
        lock(&self.book).requests.clone()
    }

    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.book).requests.iter().filter_map(|request| request.asked.clone()).collect()
    }
}

/// The answer to a question that specifies its form, from a model that knows no facts; `None` if it asks for plain text.
pub fn answer_in_form(question: &str) -> Option<String> {
    instance::answer(question, &instance::Known::new())
}

fn take(received: Received, book: &Mutex<Book>) -> Response {
    let (case, path) = split_case(&received.path);
    let body: Value = serde_json::from_slice(&received.body).unwrap_or(Value::Null);
    let api = Api::of(&path);
    let asked = api.map(|api| api.read(&path, &body));
    let response = match api.zip(asked.as_ref()) {
        Some((api, asked)) => {
            let calls = lock(book).scripts.get(&case).cloned();
            match calls.map_or_else(|| Case::named(&case), Case::Calls) {
                Case::Redirect => {
                    let there = format!("{}{path}", lock(book).elsewhere);
                    Response::of(307, "text/plain", "elsewhere").with_header("location", &there)
                }
                Case::TellsKey => {
                    let key = key_of(&received);
                    // A second time where a reader who keeps 200 characters would keep the half of it.
                    let message = format!("the key {key} is not valid{}{key}", " ".repeat(3) + &"x".repeat(150));
                    Response::json(401, api.error(401, &message))
                }
                Case::EchoesKey => {
                    let key = key_of(&received);
                    let asked = Asked { model: Some(format!("model-{key}")), ..asked.clone() };
                    let answer = reply(book, &asked).map(|said| said.text).unwrap_or_default();
                    let said = Said { text: format!("You sent {key} and {key}.{answer}"), ..Said::default() };
                    let ids = ["msg_stand_in", "resp_stand_in_0", "chatcmpl-stand-in", "stand-in"];
                    let events = api.events(&ended(said, &asked), &asked);
                    let with_key =
                        ids.iter().fold(events, |events, id| events.replace(&format!("\"{id}\""), &format!("\"{key}\"")));
                    Response::events(with_key, Then::End)
                }
                Case::Ok => respond(api, &Case::Ok, asked, reply(book, asked)),
                case => respond(api, &case, asked, None),
            }
        }
        None if Case::named(&case) == Case::Garbage => garbage(),
        None => errand(&case, &path, &body),
    };
    lock(book).requests.push(Request { case, path, headers: received.headers, body, asked });
    response
}

fn key_of(received: &Received) -> &str {
    let names = ["authorization", "x-api-key", "x-goog-api-key"];
    let value = names.iter().find_map(|name| received.headers.get(*name)).map_or("", String::as_str);
    value.trim_start_matches("Bearer ")
}

/// The reply that was set for this prompt, otherwise an answer in the form that the request asks for.
fn reply(book: &Mutex<Book>, asked: &Asked) -> Option<Said> {
    let Book { replies, known, .. } = &*lock(book);
    let told = replies.iter().find(|(when, _)| asked.prompt.contains(when)).map(|(_, text)| text.clone());
    let said = Said { turn: asked.results.len(), ..Said::default() };
    match (told, &asked.schema, &asked.answer_tool) {
        (Some(text), ..) => Some(Said { text, ..said }),
        (None, Some(schema), _) => {
            Some(Said { text: instance::instance(schema, &asked.question, known).to_string(), ..said })
        }
        (None, None, Some(schema)) if asked.results.is_empty() => {
            let call = ToolCall::new(ANSWER_TOOL, instance::instance(schema, &asked.question, known));
            Some(Said { call: Some(call), ..said })
        }
        _ => instance::answer(&asked.question, known).map(|text| Said { text, ..said }),
    }
}

/// What is said, with the block that the prompt asks for; where the answer is broken off there is none.
fn ended(said: Said, asked: &Asked) -> Said {
    if said.finish != Finish::Done || said.call.is_some() || asked.schema.is_some() {
        return said;
    }
    Said { text: ended_as_asked(&said.text, &asked.prompt, &json!([{"text": "It is so."}])), ..said }
}

/// `/CASE/v1/models?x=y` is the case and `/v1/models?x=y`. A path without a case is one of `ok`.
fn split_case(path: &str) -> (String, String) {
    let (first, rest) = path[1.min(path.len())..].split_once('/').unwrap_or((&path[1.min(path.len())..], ""));
    if matches!(first, "v1" | "v1beta" | "") {
        return ("ok".to_owned(), path.to_owned());
    }
    (first.to_owned(), format!("/{rest}"))
}

/// What the tools ask beside their questions: models and token counts. In the case `two-models` there are two of them, of
/// different vendors.
fn errand(case: &str, path: &str, body: &Value) -> Response {
    let bare = path.split('?').next().unwrap_or_default();
    let tokens = body.to_string().len() / 4;
    if bare.ends_with("/count_tokens") {
        return Response::json(200, json!({ "input_tokens": tokens }));
    }
    if bare.ends_with(":countTokens") {
        return Response::json(200, json!({ "totalTokens": tokens }));
    }
    if bare.ends_with("/models") {
        let names = if case == "two-models" { &["llama3.2", "gemma3:4b"][..] } else { &["stand-in"] };
        let model = |name: &&str| {
            json!({ "id": name, "object": "model", "type": "model", "created": 0, "owned_by": "stand-in",
                "display_name": "Stand-in", "name": format!("models/{name}") })
        };
        let models: Vec<Value> = names.iter().map(model).collect();
        return Response::json(200, json!({ "object": "list", "data": models, "models": models, "has_more": false }));
    }
    if bare == "/" {
        return Response::json(200, json!({}));
    }
    Response::json(404, json!({ "error": { "message": "there is nothing here", "type": "not_found_error" } }))
}

fn respond(api: Api, case: &Case, asked: &Asked, reply: Option<Said>) -> Response {
    // A model of this kind is known nowhere, in whichever case.
    let unknown = asked.model.as_deref().is_some_and(|model| model.contains("no-such"));
    if let Some(what) = asked.schema.as_ref().filter(|_| asked.strict).and_then(not_strict) {
        return Response::json(400, api.error(400, &what));
    }
    match case {
        _ if unknown => return failure(api, 404, asked),
        Case::Status(status) => return failure(api, *status, asked),
        Case::UntilDate => {
            return failure(api, 503, asked).with_header("retry-after", "Thu, 01 Jan 2026 00:30:00 GMT");
        }
        Case::ErrorBody => return Response::json(200, api.error(500, "something went wrong here")),
        Case::ErrorEvent => return Response::events(event(&api.error(529, "Overloaded")), Then::End),
        Case::EndlessLine => return Response::events("", Then::Repeat(vec![b'x'; 64 * 1024])),
        Case::Huge => return Response { length: Some(10 << 30), ..Response::events("", Then::Silence) },
        Case::Garbage => return garbage(),
        Case::Hang => return Response::events("", Then::Nothing),
        Case::HangPinging => return Response::events("", Then::Pings("event: ping\ndata: {\"type\": \"ping\"}\n\n")),
        Case::Picky => {
            let more =
                [("schema", asked.schema.is_some()), ("effort", asked.effort.is_some()), ("seed", asked.seed.is_some())];
            if let Some((field, _)) = more.into_iter().find(|(_, is_asked)| *is_asked) {
                let message = format!("unknown field: {field} is not supported by this server");
                return Response::json(400, api.error(400, &message));
            }
        }
        _ => {}
    }
    let said = ended(reply.unwrap_or_else(|| case.say(asked)), asked);
    if !asked.stream {
        let mut response = Response::json(200, api.whole(&said, asked));
        // A body of which only half comes.
        response.body.truncate(response.body.len() / if said.is_cut() { 2 } else { 1 });
        return response;
    }
    let events = api.events(&said, asked);
    match case {
        Case::HalfEvent => Response::events(&events.as_bytes()[..events.len() / 2], Then::End),
        Case::Endless => {
            // The first words again and again: there is no end among them.
            let said = Said { finish: Finish::Cut, text: said.text.repeat(500), ..said };
            Response::events("", Then::Repeat(api.events(&said, asked).into_bytes()))
        }
        Case::NotText => {
            let (before, after) = events.as_bytes().split_at(events.len() / 2);
            Response::events([before, b"\xff", after].concat(), Then::End)
        }
        Case::OkPinging | Case::StallPinging => Response::events(events, Then::Pings(": ping\n\n")),
        Case::Stall => Response::events(events, Then::Silence),
        _ => Response::events(events, Then::End),
    }
}

/// What OpenAI's `strict` does not take of a schema, in the API's own words; nothing where all is well.
///
/// <https://developers.openai.com/api/docs/guides/structured-outputs>, "Supported schemas".
fn not_strict(schema: &Value) -> Option<String> {
    const TAKEN: &str = " type properties required additionalProperties items enum const anyOf $ref $defs description title \
        pattern minItems maxItems minimum maximum ";
    let invalid = |what: String| Some(format!("Invalid schema for response_format: {what}"));
    let fields = schema.as_object()?;
    if let Some(other) = fields.keys().find(|name| !TAKEN.contains(&format!(" {name} "))) {
        return invalid(format!("'{other}' is not permitted."));
    }
    if fields.contains_key("$ref") && fields.len() > 1 {
        return invalid("$ref cannot have keywords beside it.".to_owned());
    }
    if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
        let required = list(&schema["required"]);
        if schema["additionalProperties"] != false || !properties.keys().all(|name| required.iter().any(|one| one == name)) {
            return invalid("every property must be required, and no others allowed.".to_owned());
        }
    }
    let named = ["properties", "$defs"].iter().filter_map(|name| schema[*name].as_object()).flat_map(|named| named.values());
    named.chain(fields.get("items")).chain(list(&schema["anyOf"])).find_map(not_strict)
}

fn garbage() -> Response {
    Response::of(200, "text/html", "<html>this is not the API</html>")
}

fn failure(api: Api, status: u16, asked: &Asked) -> Response {
    let model = asked.model.as_deref().unwrap_or("none");
    let message = match status {
        401 => "the key is not valid".to_owned(),
        403 => "your API key does not have permission to use this resource".to_owned(),
        404 => format!("model: {model} does not exist"),
        429 => "rate limit reached, try again later".to_owned(),
        529 => "Overloaded".to_owned(),
        _ => "something went wrong here".to_owned(),
    };
    let response = Response::json(status, api.error(status, &message));
    if status == 429 { response.with_header("retry-after", "1") } else { response }
}
