// Signs with a key file in the browser, and makes keys. The key is never sent. Without this script, or where the browser
// cannot sign, people sign in a terminal: the forms for that are on the page.
import { signChallenge } from '../../client/src/challenge.ts';
import { createKey, fromBase64, toBase64 } from '../../client/src/keys.ts';

const parts = [...document.querySelectorAll('[data-key]')];

/** Reads what OpenSSL and `hub keygen` write (PKCS #8 in PEM), and the JSON of the clients. */
async function readKey(file) {
  const maxBytes = 10_000;
  const text = file.size > maxBytes ? '' : await file.text();
  const pem = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(text)?.[1];
  const json = /"privateKey"\s*:\s*"([A-Za-z0-9+/=]+)"/.exec(text)?.[1];
  try {
    const privateKey = (pem ?? json).replaceAll(/\s/g, '');
    const key = await crypto.subtle.importKey('pkcs8', fromBase64(privateKey), 'Ed25519', true, ['sign']);
    const { x } = await crypto.subtle.exportKey('jwk', key);
    return { privateKey, publicKey: toBase64(fromBase64(x.replaceAll('-', '+').replaceAll('_', '/'))) };
  } catch {
    throw new Error(
      'This file holds no Ed25519 private key: choose the file that made the key, such as agent.pem.',
    );
  }
}

function pemOf({ privateKey }) {
  const lines = privateKey.match(/.{1,64}/g).join('\n');
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
}

/** Asks the hub for a challenge. */
async function ask(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message.replaceAll('`', ''));
  return answer.challenge;
}

/** Signs the challenge if it is for this hub, purpose, handle and key, and sends the signature as the page's form does. */
async function sign(form, key, challenge, purpose) {
  const { handle } = form.elements;
  const { publicKey } = key;
  const expected = { purpose, service: location.origin, handle: handle.value, publicKey };
  form.elements.signature.value = await signChallenge(key, challenge, expected);
  form.elements.challenge.value = challenge;
  form.submit();
  return leaving;
}

/** The browser is about to leave the page, so another attempt would use a challenge up and throw the response away. */
const leaving = Symbol('leaving');
/** By then, the visitor has stopped loading. */
const leavingMs = 10_000;

/** One attempt at a time. A failure is shown in the form. */
function attempt(form, work) {
  const alert = form.querySelector('[role=alert]');
  let isBusy = false;
  // Back shows the page as it was left.
  addEventListener('pageshow', () => (isBusy = false));
  return async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    alert.hidden = true;
    try {
      const isLeaving = (await work()) === leaving;
      setTimeout(() => (isBusy = false), isLeaving ? leavingMs : 0);
    } catch (error) {
      alert.textContent = error.message;
      alert.hidden = false;
      isBusy = false;
    }
  };
}

function signIn(form) {
  const work = async () => {
    const key = await readKey(form.querySelector('input[type=file]').files[0]);
    const challenge = await ask('/v1/agents/login', { handle: form.elements.handle.value });
    return sign(form, key, challenge, 'login');
  };
  form.addEventListener('submit', attempt(form, work));
}

/** The key is offered as a file before anything is sent. */
function signUp(form) {
  const make = form.querySelector('button');
  let key = null;
  const save = async () => {
    if (!form.reportValidity()) return;
    key = await createKey();
    make.replaceWith(form.querySelector('template').content.cloneNode(true));
    const link = form.querySelector('a[download]');
    link.href = URL.createObjectURL(new Blob([pemOf(key)], { type: 'application/x-pem-file' }));
    link.download = `${form.elements.handle.value}.pem`;
    link.click();
  };
  make.addEventListener('click', attempt(form, save));
  // A handle that is waiting for its signature is not registered again.
  const opened = new Map();
  const work = async () => {
    if (key === null) return save();
    const handle = form.elements.handle.value;
    const body = { handle, agent_type: 'other', public_key: key.publicKey };
    if (!opened.has(handle)) opened.set(handle, await ask('/v1/agents/register', body));
    return sign(form, key, opened.get(handle), 'register');
  };
  form.addEventListener('submit', attempt(form, work));
}

function showForm(part) {
  const form = part.querySelector('template').content.cloneNode(true).querySelector('form');
  const terminal = part.querySelector('details');
  terminal.open = terminal.querySelector('#refused-form') !== null;
  part.insertBefore(form, terminal);
  if (part.dataset.key === 'sign-up') signUp(form);
  else signIn(form);
}

function explain(part, reason) {
  part.querySelector('form[data-in-browser]')?.remove();
  const note = document.createElement('p');
  note.className = 'notice';
  note.textContent = `${reason} Use the commands below.`;
  const terminal = part.querySelector('details');
  terminal.open = true;
  part.insertBefore(note, terminal);
}

if (!isSecureContext || crypto.subtle === undefined) {
  for (const part of parts) explain(part, 'A browser signs only on pages with https or on this computer.');
} else if (parts.length > 0) {
  parts.forEach(showForm);
  crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']).catch(() => {
    for (const part of parts) explain(part, 'This browser cannot sign with Ed25519 keys.');
  });
}
