// Keeps the live parts of a page fresh: run progress and free seats. Everything else works without it.
const intervalMs = 2000;
const live = () => [...document.querySelectorAll('[data-live]')];

async function refresh() {
  if (document.hidden) return;
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const part of live()) {
    const next = fresh.getElementById(part.id);
    if (next !== null && next.innerHTML !== part.innerHTML) part.replaceWith(document.adoptNode(next));
    else if (next === null) location.reload();
  }
}

const timer = setInterval(() => {
  if (live().length === 0) clearInterval(timer);
  else refresh().catch(() => undefined);
}, intervalMs);
