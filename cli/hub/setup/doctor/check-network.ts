/** Checks of a running hub over HTTP: on this machine, and at its public address. */
import { lookup } from 'node:dns/promises';
import { whyNoAnswer } from '#cli/client/hub-refusal.ts';
import { isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { fieldsOf, processUrl } from '../../health.ts';
import { type Check, fault, type Finding, ok, skipped } from './finding.ts';

const answerTimeoutMs = 10_000;
/** From the block for documentation (RFC 5737), so no client has it. */
const forgedAddress = '203.0.113.77';
/** As in the alert rule `HubFrozen`. */
const frozenMaxMs = 30 * 60 * 1_000;
const operatorPaths = ['/metrics', '/admin', '/admin/queues'] as const;

/** The checks of what a hub refuses to start without. */
const startNeeds = ['database', 'redis'];
const manifestPath = '/.well-known/agent.json';
const notReached = 'the hub is not reached at its address';

/** @throws Error with the reason why there was no response */
async function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const signal = AbortSignal.timeout(answerTimeoutMs);
  try {
    return await fetch(url, { headers, signal, redirect: 'manual' });
  } catch (error) {
    throw new Error(`${url} did not respond: ${whyNoAnswer(error)}.`, { cause: error });
  }
}

function bodyOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  return response.text().then(fieldsOf, () => ({}));
}

/** @returns the BASE_URL of the hub that responds; null if another program does */
async function claimIn(manifest: Response): Promise<string | null> {
  const { base_url: claimed } = await bodyOf(manifest);
  return typeof claimed === 'string' ? claimed : null;
}

const running: Check = {
  name: 'running',
  run: async ({ settings, operatorKey, version }) => {
    const url = processUrl(settings);
    const health = await ask(`${url}/v1/health`).then(bodyOf, () => null);
    if (health === null)
      return fault(
        `Nothing serves ${url}.`,
        'Start the hub: `hub start`, or `systemctl start agent-hub`; its log says why it stopped.',
        startNeeds,
      );
    if (typeof health['version'] !== 'string')
      return fault(`Another program serves ${url}.`, 'Stop it, or set PORT to another port.');
    if (health['version'] !== version) {
      return fault(
        `The hub that runs is version ${health['version']}, and this program is ${version}.`,
        'Restart the hub, so that all of it runs this version.',
        ['database'],
      );
    }
    const authorization: Record<string, string> =
      operatorKey === null ? {} : { authorization: `Bearer ${operatorKey}` };
    const ready = await ask(`${url}/readyz`, authorization);
    const { message, frozen_since: frozenSince } = await bodyOf(ready);
    if (typeof frozenSince === 'string' && Date.now() - Date.parse(frozenSince) > frozenMaxMs) {
      return fault(
        `The hub has been frozen since ${frozenSince}, and stores nothing, not even backups.`,
        'Run: hub unfreeze',
      );
    }
    if (ready.ok)
      return ok(
        `version ${version} is ready at ${url}${typeof frozenSince === 'string' ? `, but frozen since ${frozenSince}` : ''}`,
      );
    return fault(
      `${url} is not ready: ${String(message)}`,
      'Start the store that it names, or correct its setting.',
      startNeeds,
    );
  },
};

const reachable: Check = {
  name: 'reachable',
  run: async ({ settings: { isPublic, baseUrl, port } }) => {
    if (!isPublic) return skipped('only this machine reaches a private hub');
    const { hostname } = new URL(baseUrl);
    const name = hostname.replaceAll(/[[\]]/g, '');
    const isResolved = await lookup(name).then(
      () => true,
      () => false,
    );
    if (!isResolved)
      return fault(`The name ${name} does not resolve.`, 'Create its DNS record, or correct BASE_URL.');
    const manifest = await ask(`${baseUrl}${manifestPath}`).catch((error: Error) => error);
    if (manifest instanceof Error) {
      return fault(
        manifest.message,
        'Start the proxy, let it obtain a certificate for the name, and open its port in the firewall.',
        new URL(baseUrl).port === String(port) ? ['running'] : [],
      );
    }
    const claimed = await claimIn(manifest);
    if (claimed === null) {
      return fault(
        `${baseUrl} answers ${manifest.status}, and not as a hub.`,
        'Let the proxy pass every path of this name on to the port of the hub.',
        ['running'],
      );
    }
    if (claimed === baseUrl) return ok(`${baseUrl}, as seen from this machine`);
    return fault(
      `The hub at ${baseUrl} calls itself ${claimed}.`,
      'Restart the hub with this BASE_URL, or correct it.',
    );
  },
};

const proxyHeaders: Check = {
  name: 'proxy headers',
  run: async ({ settings: { isPublic, baseUrl, trustedProxies }, operatorKey }) => {
    const url = new URL(baseUrl);
    if (!isPublic || (url.protocol === 'http:' && trustedProxies.length === 0))
      return skipped('there is no proxy');
    if (operatorKey === null) return skipped('there is no operator key to ask with');
    if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
      return fault(`${baseUrl} has no TLS, so the operator key was not sent.`, 'Serve the hub over https.');
    const response = await ask(`${baseUrl}/admin/connection`, {
      authorization: `Bearer ${operatorKey}`,
      'x-forwarded-for': forgedAddress,
    }).catch(() => null);
    if (response === null) return skipped(notReached);
    const { client_address: client, forwarded_for: forwarded, host } = await bodyOf(response);
    if (typeof client !== 'string') {
      return fault(
        `${baseUrl}/admin/connection answers ${response.status}.`,
        'Let the proxy pass on every path and the header Authorization.',
        ['running', 'reachable'],
      );
    }
    return judge({ client, forwarded, host, expectedHost: url.host });
  },
};

interface Connection {
  readonly client: string;
  readonly forwarded: unknown;
  readonly host: unknown;
  readonly expectedHost: string;
}

function judge({ client, forwarded, host, expectedHost }: Connection): Finding {
  if (typeof forwarded !== 'string') {
    return fault(
      'The proxy sends no X-Forwarded-For, so all clients share the limits of one.',
      'Let the proxy set it to the address of its client; see "Behind a proxy with TLS" of the operating guide.',
    );
  }
  if (client === forgedAddress) {
    return fault(
      'The proxy passes on the X-Forwarded-For of its client, who can claim any address.',
      'Let the proxy replace the header: in nginx, `proxy_set_header X-Forwarded-For $remote_addr;`.',
    );
  }
  const claimed = forwarded.split(',').map((part) => part.trim());
  if (!claimed.includes(client)) {
    return fault(
      `The hub does not believe the proxy at ${client}, so all clients share the limits of one.`,
      `Add the address of the proxy to TRUSTED_PROXIES, and restart the hub: TRUSTED_PROXIES=${client}`,
    );
  }
  if (host !== expectedHost) {
    return fault(
      `The proxy sends Host ${String(host)} instead of ${expectedHost}.`,
      'Let the proxy pass on the header Host: in nginx, `proxy_set_header Host $http_host;`.',
    );
  }
  return ok(`the hub sees this machine as ${client}`);
}

const operatorPages: Check = {
  name: 'operator pages',
  run: async ({ settings }) => {
    const base = settings.isPublic ? settings.baseUrl : processUrl(settings);
    // Another program may have pages of these names.
    if ((await ask(`${base}${manifestPath}`).then(claimIn, () => null)) === null) return skipped(notReached);
    const statuses = await Promise.all(
      operatorPaths.map(async (path) => [path, (await ask(`${base}${path}`)).status] as const),
    ).catch(() => null);
    if (statuses === null) return skipped(notReached);
    const open = statuses.filter(([, status]) => status < 400);
    if (open.length === 0) return ok('closed to requests without the operator key');
    return fault(
      `Anybody can open ${open.map(([path]) => path).join(', ')}.`,
      'The proxy adds the operator key to requests. Remove the header Authorization from its configuration.',
    );
  },
};

export const networkChecks: readonly Check[] = [running, reachable, proxyHeaders, operatorPages];
