/**
 * Guards a private hub against what looks local and is not: pages whose own name was pointed at 127.0.0.1 (DNS
 * rebinding), and proxies that the settings do not name.
 */
import { DomainError } from '#domain/errors.ts';
import { hostNameInUrl, hostNameOf, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { signOfProxy } from '#runtime/inbound-http/proxy-signs.ts';
import type { ApiDeps } from '../deps.ts';

/** @throws DomainError invalid_host */
export type CheckOrigin = (request: Request) => void;

/** @returns null on a public hub, which trusts no address and serves every name */
export function createCheckOrigin({
  settings,
  rules,
  proxies,
}: Pick<ApiDeps, 'settings' | 'rules' | 'proxies'>): CheckOrigin | null {
  if (settings.isPublic) return null;
  return (request) => {
    const own = { baseUrl: rules.baseUrl, corsOrigins: settings.corsOrigins };
    if (!proxies.isProxied()) {
      const sign = signOfProxy(request, own);
      if (sign !== null) proxies.report(sign);
    }
    // Browsers always send a host.
    const host = request.headers.get('host');
    if (host === null) return;
    const name = hostNameOf(host);
    if (isLoopbackName(name) || name === hostNameInUrl(own.baseUrl)) return;
    throw new DomainError('invalid_host', 'This private hub does not serve this host name.', {
      hint: `Use ${own.baseUrl}. The operator can serve another name by setting BASE_URL.`,
    });
  };
}
