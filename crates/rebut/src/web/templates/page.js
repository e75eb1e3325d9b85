'use strict';
// Search, filters, keyboard shortcuts, and updates while the debate runs.
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const say = (text) => { byId('said').textContent = text; };
  const address = new URLSearchParams(location.search);
  const filters = new Set(address.getAll('f'));
  let words = (address.get('s') || '').toLowerCase();
  // Each piece as the server sent it.
  const sent = new Map(all('[data-piece]').map((piece) => [piece.id, piece.outerHTML]));

  // Filters and search are kept in the address.
  const remember = () => {
    const now = new URLSearchParams(location.search);
    now.delete('f');
    now.delete('s');
    for (const filter of filters) now.append('f', filter);
    if (words) now.set('s', words);
    const query = now.toString();
    try {
      history.replaceState(null, '', (query ? '?' + query : location.pathname) + location.hash);
    } catch {
      // Some browsers forbid this for files.
    }
  };

  const group = (tag) => tag.slice(0, tag.indexOf(':'));
  const isMeant = (item) => {
    const tags = (item.dataset.tags || '').split('\n').filter(Boolean);
    const groups = new Set([...filters].map(group));
    for (const name of groups) {
      const section = item.closest('section');
      const offered = section && all('[data-filter]', section).some((button) => group(button.dataset.filter) === name);
      if (offered && !tags.some((tag) => filters.has(tag))) return false;
    }
    return !words || item.textContent.toLowerCase().includes(words);
  };

  const highlight = () => {
    if (!window.Highlight || !CSS.highlights) return;
    CSS.highlights.delete('found');
    if (words.length < 2) return;
    const ranges = [];
    const walker = document.createTreeWalker(byId('page'), NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < 2000) {
      const node = walker.currentNode;
      const text = node.data.toLowerCase();
      for (let at = text.indexOf(words); at >= 0 && ranges.length < 2000; at = text.indexOf(words, at + words.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, Math.min(at + words.length, node.length));
        ranges.push(range);
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  };

  const narrow = () => {
    let shown = 0;
    const items = all('.item');
    for (const item of items) {
      item.hidden = (filters.size > 0 || words !== '') && !isMeant(item);
      if (!item.hidden) shown += 1;
    }
    for (const button of all('[data-filter]')) button.setAttribute('aria-pressed', filters.has(button.dataset.filter));
    const found = byId('found');
    if (found) found.textContent = filters.size || words ? `${shown} of ${items.length}` : '';
    highlight();
  };

  let typing = 0;
  document.addEventListener('input', (event) => {
    if (event.target.id !== 'search') return;
    clearTimeout(typing);
    typing = setTimeout(() => {
      words = event.target.value.trim().toLowerCase();
      remember();
      narrow();
    }, 120);
  });

  document.addEventListener('click', (event) => {
    const filter = event.target.closest('[data-filter]');
    if (filter) {
      const tag = filter.dataset.filter;
      if (!filters.delete(tag)) filters.add(tag);
      remember();
      narrow();
      return;
    }
    const link = event.target.closest('a[href^="#"]');
    if (link) reveal(decodeURIComponent(link.getAttribute('href').slice(1)));
  });

  // A link's target must be visible.
  const reveal = (id) => {
    const target = byId(id);
    if (!target) return;
    if (target.hidden) {
      filters.clear();
      words = '';
      if (byId('search')) byId('search').value = '';
      remember();
      narrow();
    }
    for (let around = target; around; around = around.parentElement) if (around.tagName === 'DETAILS') around.open = true;
  };

  const step = (by) => {
    const stops = all('.stop').filter((stop) => !stop.hidden);
    if (!stops.length) return;
    const current = stops.indexOf(document.activeElement.closest('.stop'));
    const first = stops.findIndex((stop) => stop.getBoundingClientRect().bottom > 80);
    const next = current >= 0 ? current + by : by > 0 ? Math.max(first, 0) : first - 1;
    const stop = stops[Math.min(Math.max(next, 0), stops.length - 1)];
    stop.focus({ preventScroll: true });
    stop.scrollIntoView({ block: 'start' });
    try {
      history.replaceState(null, '', '#' + stop.id);
    } catch {
      // As above: not for files.
    }
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
    if (event.key === 'n') step(1);
    else if (event.key === 'p') step(-1);
    else if (event.key === '/' && byId('search')) {
      event.preventDefault();
      byId('search').focus();
    }
  });

  addEventListener('beforeprint', () => { for (const details of all('details')) details.open = true; });
  if (byId('search')) byId('search').value = words;
  for (const tree of all('.tree')) if (matchMedia('(max-width: 44rem)').matches) tree.open = true;
  if (filters.size || words) narrow();
  if (location.hash.length > 1) reveal(decodeURIComponent(location.hash.slice(1)));

  // The rest needs the server.
  const path = document.body.dataset.path;

  const complain = (form, text) => {
    let note = form.querySelector('[role=alert]');
    if (!note) {
      note = document.createElement('p');
      note.className = 'problem';
      note.setAttribute('role', 'alert');
      form.append(note);
    }
    note.textContent = text;
  };

  async function post(what, body, button) {
    button.disabled = true;
    complain(button.form, '');
    try {
      const answer = await fetch(`${path || ''}/${what}`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
      });
      const said = await answer.json();
      if (!answer.ok) throw new Error(said.error);
      return said;
    } catch (error) {
      complain(button.form, error.message);
      return null;
    } finally {
      button.disabled = false;
    }
  }

  // A plan is valid for the form as it was.
  document.addEventListener('input', (event) => {
    const plan = event.target.closest('form')?.querySelector('.plan');
    if (plan) plan.hidden = true;
  });

  document.addEventListener('submit', async (event) => {
    const { target: form, submitter: button } = event;
    if (!form.matches('.acts')) return;
    event.preventDefault();
    const filled = [...new FormData(form, button)].filter(([, value]) => value !== '');
    const said = await post(button.dataset.post, Object.fromEntries(filled), button);
    if (!said) return;
    if (said.id) location.assign(`/d/${said.id}`);
    const plan = form.querySelector('.plan');
    if (!plan) return;
    plan.querySelector('pre').textContent = said.plan || '';
    plan.hidden = !said.plan;
  });
  if (!path) return;

  let seq = Number(document.body.dataset.seq);
  const arriving = new Map();

  const element = (html) => {
    const template = document.createElement('template');
    template.innerHTML = html;
    return template.content.firstElementChild;
  };

  // What can be folded, each with its title and how often that occurred before.
  const folds = (root) => {
    const seen = new Map();
    return all('details', root).map((details) => {
      const title = details.querySelector('summary').textContent;
      seen.set(title, (seen.get(title) ?? 0) + 1);
      return [`${title} ${seen.get(title)}`, details];
    });
  };

  const put = ({ id, parent, after, html }) => {
    const made = element(html);
    const old = byId(id);
    const isNew = sent.get(id) !== made.outerHTML;
    sent.set(id, made.outerHTML);
    if (old) {
      // What the user has typed or opened in it stays.
      if (!isNew) return;
      const open = new Map(folds(old).map(([title, details]) => [title, details.open]));
      for (const [title, details] of folds(made)) details.open = open.get(title) ?? details.open;
      const focused = old.contains(document.activeElement) && document.activeElement;
      const value = focused && focused.id === 'search' ? [focused.value, focused.selectionStart] : null;
      old.replaceWith(made);
      if (focused && (focused.id || focused === old)) {
        const again = focused === old ? made : byId(focused.id);
        if (again) again.focus({ preventScroll: true });
        if (again && value) {
          again.value = value[0];
          again.setSelectionRange(value[1], value[1]);
        }
      }
      return;
    }
    const place = byId(parent);
    if (!place) return;
    const before = after && byId(after);
    if (before) before.after(made);
    else place.insertBefore(made, [...place.children].find((child) => 'piece' in child.dataset) || null);
  };

  // Hides the data block at the end of a statement.
  const shownOf = (text) => {
    const fence = text.lastIndexOf('\n```json');
    const start = text.trimStart();
    if (start.startsWith('{') || start.startsWith('[') || start.startsWith('```')) return '';
    return fence >= 0 ? text.slice(0, fence) : text;
  };

  const showArriving = () => {
    for (const call of all('.call')) {
      const text = shownOf(arriving.get(call.dataset.key) || '');
      const place = call.querySelector('.arriving');
      if (place.textContent === text) continue;
      const follows = place.scrollHeight - place.scrollTop - place.clientHeight < 40;
      place.textContent = text;
      if (follows) place.scrollTop = place.scrollHeight;
    }
  };

  const apply = (change) => {
    for (const id of change.removed) if (byId(id)) byId(id).remove();
    for (const piece of change.pieces) put(piece);
    if (byId('search') && words) byId('search').value = words;
    if (filters.size || words) narrow();
    showArriving();
    tick();
    if (change.said) say(change.said);
    if (change.at) performance.mark('rebut-live', { detail: Date.now() - change.at });
  };

  const connected = (is) => { for (const note of all('.link-state')) note.hidden = is; };

  const listen = () => {
    const source = new EventSource(`${path}/events?since=${seq}`);
    source.addEventListener('open', () => connected(true));
    source.addEventListener('change', (event) => {
      if (event.lastEventId) seq = Number(event.lastEventId);
      apply(JSON.parse(event.data));
    });
    source.addEventListener('text', (event) => {
      for (const { key, text, whole } of JSON.parse(event.data)) {
        arriving.set(key, whole ? text : (arriving.get(key) || '') + text);
      }
      showArriving();
    });
    source.addEventListener('error', () => {
      connected(false);
      // After a refusal the browser doesn't try again, but the next server may accept.
      if (source.readyState === EventSource.CLOSED) {
        source.close();
        setTimeout(listen, 1500);
      }
    });
  };

  const clock = (ms) => {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  };
  const tick = () => {
    for (const place of all('.clock')) {
      if (place.dataset.since) place.textContent = clock(Date.now() - Number(place.dataset.since));
      if (!place.dataset.elapsed) continue;
      place.dataset.from ||= Date.now();
      place.textContent = clock(Number(place.dataset.elapsed) + Date.now() - Number(place.dataset.from));
    }
  };
  setInterval(tick, 1000);
  tick();
  listen();
})();
