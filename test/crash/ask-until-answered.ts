/** A client whose server may die at any moment. */

const retryPauseMs = 50;
const retriesMax = 1_200;

/** Sends each request again, unchanged, until it succeeds. */
export function askUntilAnswered(url: string, token: string) {
  return async (path: string, json?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request =
      json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) };
    let last = '';
    for (let attempt = 0; attempt < retriesMax; attempt += 1) {
      try {
        const response = await fetch(url + path, request);
        last = await response.text();
        if (response.ok) return JSON.parse(last);
        if (response.status < 500) break;
      } catch (error) {
        last = String(error);
      }
      await Bun.sleep(retryPauseMs);
    }
    throw new Error(`${path} got no response: ${last}`);
  };
}
