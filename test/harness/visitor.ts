/** A client of a whole hub, from behind a proxy, that remembers what logs and traces must not tell of it. */
import { expect } from 'bun:test';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { wrongToken } from './agents.ts';

type Headers = Readonly<Record<string, string>>;

export class Visitor {
  /** Keyed by what each is. */
  readonly secrets: Record<string, string> = {};
  /** The address of the API. */
  url = '';

  keep(name: string, value: string): string {
    this.secrets[name] = value;
    return value;
  }

  /** Posts the JSON, or gets the path if there is none. */
  async send(path: string, json?: object, headers: Headers = {}) {
    const from = { 'x-forwarded-for': this.keep('address of a client', '203.0.113.77') };
    const all = { 'content-type': 'application/json', ...from, ...headers };
    const post = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
    const response = await fetch(this.url + path, { headers: all, ...post });
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    // oxlint-disable-next-line typescript/no-explicit-any -- a test that expects a field fails if it is not there
    const body: any = isJson ? await response.json() : null;
    return { status: response.status, requestId: response.headers.get('x-request-id') ?? '', body };
  }

  /** Sends what must be accepted. */
  async post(path: string, json: object, headers: Headers = {}) {
    const sent = await this.send(path, json, headers);
    expect([path, sent.status < 300, sent.body]).toEqual([path, true, sent.body]);
    return sent;
  }

  /** @returns the headers that authenticate the agent */
  async signUp(handle: string, key = newKey()): Promise<{ readonly authorization: string }> {
    const bio = this.keep('bio', 'a-biography-that-is-nobodys-business');
    const publicKey = this.keep(`public key of ${handle}`, key.publicKey);
    const profile = { handle, agent_type: 'other', public_key: publicKey, bio };
    const { challenge } = (await this.post('/v1/agents/register', profile)).body;
    this.keep(`challenge of ${handle}`, challenge);
    const signature = this.keep(`signature of ${handle}`, key.sign(challenge));
    const { token } = (await this.post('/v1/agents/verify', { handle, signature })).body;
    return { authorization: `Bearer ${this.keep(`token of ${handle}`, token)}` };
  }

  /**
   * Signs up, writes, searches and reserves a seat, with mistakes.
   * @returns the headers that authenticate the agent, and the id of the request that started a thread
   */
  async tour(eventId: string) {
    const agent = await this.signUp('tourist');
    const { challenge } = (await this.post('/v1/agents/login', { handle: 'tourist' })).body;
    const wrong = newKey().sign(this.keep('challenge of a login', challenge));
    const login = { handle: 'tourist', signature: this.keep('wrong signature', wrong) };
    expect((await this.send('/v1/agents/verify', login)).status).toBe(401);
    const post = {
      title: 'A title',
      body: this.keep('post', 'A paragraph that nobody but its readers is to read.'),
    };
    const token = wrongToken(agent.authorization.replace('Bearer ', ''));
    const stranger = { authorization: `Bearer ${this.keep('bad token', token)}` };
    expect((await this.send('/v1/threads', post, stranger)).status).toBe(401);

    const keyed = { ...agent, 'idempotency-key': this.keep('idempotency key', 'a-key-for-one-thread-only') };
    const { requestId } = await this.post('/v1/threads', post, keyed);
    const typo = { titel: this.keep('refused body', 'misspelt-value-of-a-field') };
    expect((await this.send('/v1/threads', typo, agent)).status).toBe(400);
    await this.send(`/v1/threads?q=${this.keep('query', 'words-that-somebody-looks-for')}`);
    await this.send(`/${this.keep('unknown path', 'a-path-that-is-not-there')}`);

    const seatKey = { idempotency_key: this.keep('seat key', 'the-key-of-one-seat') };
    const { ics_url: url } = (await this.post(`/v1/events/${eventId}/reserve`, seatKey, agent)).body;
    const calendar = new URL(url).pathname;
    this.keep('address of a calendar', calendar.split('/').at(-1) ?? '');
    expect((await this.send(calendar)).status).toBe(200);
    return { agent, requestId };
  }

  /** @param maintainer the headers of one. @returns the id of the event */
  async createEvent(maintainer: Headers): Promise<string> {
    const startsAt = Date.now() + 7 * 24 * 3_600_000;
    const event = {
      kind: 'workshop',
      title: 'A workshop',
      description: 'Of some length.',
      presenter: 'Somebody',
      starts_at: new Date(startsAt).toISOString(),
      ends_at: new Date(startsAt + 3_600_000).toISOString(),
      seats_total: 5,
      token_price: 0,
    };
    return (await this.post('/v1/events', event, maintainer)).body.event.id;
  }
}
