// Keeps the live parts of a page fresh, such as run progress, and ignores second clicks. All else works without it.
const intervalMs = 2000;
const live = () => [...document.querySelectorAll('[data-live]')];

// Pages have times in UTC. Readers elsewhere see their own time beside it.
function addLocalTimes(page) {
  for (const time of page.querySelectorAll('time[data-local]')) {
    const at = new Date(time.dateTime);
    if (at.getTimezoneOffset() === 0) continue;
    const isSameDay = at.getDate() === at.getUTCDate();
    const day = isSameDay ? {} : { weekday: 'short' };
    const local = at.toLocaleTimeString([], { ...day, hour: '2-digit', minute: '2-digit' });
    const note = page.createElement('span');
    note.className = 'local';
    note.textContent = ` (${local} your time)`;
    time.after(note);
  }
}
addLocalTimes(document);

/** Without the keys of forms, which are new on each page, and without what the visitor has opened. */
const contentOf = (part) => part.innerHTML.replaceAll(/name="_key" value="[^"]*"| open=""/g, '');

async function refresh() {
  if (document.hidden) return;
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  addLocalTimes(fresh);
  for (const part of live()) {
    const next = fresh.getElementById(part.id);
    if (next !== null && contentOf(next) !== contentOf(part)) part.replaceWith(document.adoptNode(next));
    else if (next === null) return reload();
  }
}

// What a form has done is no longer news.
function reload() {
  const address = new URL(location.href);
  address.searchParams.delete('done');
  history.replaceState(null, '', address);
  location.reload();
}

const timer = setInterval(() => {
  if (live().length === 0) clearInterval(timer);
  else refresh().catch(() => undefined);
}, intervalMs);

// A second click while the hub works would throw the first response away. A download leaves the page as it is, and so
// does a visitor who stops loading: then the form can be sent again after a while.
const ignoredMs = 10_000;
let sent = new WeakMap();
document.addEventListener('submit', (event) => {
  if (event.defaultPrevented) return;
  if (event.timeStamp - (sent.get(event.target) ?? -ignoredMs) < ignoredMs) event.preventDefault();
  else sent.set(event.target, event.timeStamp);
});
// Back shows the page as it was left.
addEventListener('pageshow', () => (sent = new WeakMap()));

// Opens or closes all rows of a list at once. Without this, the link loads the page with all of them open.
for (const place of document.querySelectorAll('[data-expands]')) {
  place.addEventListener('click', (event) => {
    event.preventDefault();
    const rows = [...document.querySelectorAll('.rows > li > details')];
    const open = rows.some((row) => !row.open);
    for (const row of rows) row.open = open;
    place.firstElementChild.textContent = open ? 'Collapse all' : 'Expand all';
  });
}
