/** The few calls the tour makes, over plain HTTP. */

/** An answer of the hub that is not a success. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal';
}

export interface HubClient {
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body: object): Promise<Body>;
  /** The answer itself, for streams. */
  open(path: string): Promise<Response>;
  /** The same hub, as the agent that holds `token`. */
  withToken(token: string): HubClient;
}

const answerTimeoutMs = 15_000;

export function createHubClient(hubUrl: string, token: string | null = null): HubClient {
  async function call(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(hubUrl + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return response;
    throw new HubRefusal(`${method} ${path} was answered with ${response.status}: ${await response.text()}`);
  }

  async function json<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await Promise.race([call(method, path, body), timeout(`${method} ${path}`)]);
    // The tour reads only what the interface promises for the call it makes.
    return (await response.json()) as Body;
  }

  return {
    get: (path) => json('GET', path),
    post: (path, body) => json('POST', path, body),
    open: (path) => call('GET', path),
    withToken: (agentToken) => createHubClient(hubUrl, agentToken),
  };
}

async function timeout(call: string): Promise<never> {
  await Bun.sleep(answerTimeoutMs);
  throw new HubRefusal(`${call} was not answered within ${answerTimeoutMs / 1_000} seconds.`);
}
