import type { Viewer } from '#site/page.ts';
import type { View } from '#site/view.ts';
import type { ApiDeps } from '../deps.ts';
import { askedBaseUrl, requestTargetOf } from '../request/input.ts';

/** What the parts of a page may read from a request. */
export function viewOf(deps: Pick<ApiDeps, 'rules' | 'demo'>, request: Request, viewer: Viewer | null): View {
  const { identity, baseUrl } = deps.rules;
  return {
    hubName: identity.name,
    hubDescription: identity.description,
    baseUrl: askedBaseUrl(baseUrl, request),
    path: requestTargetOf(request).path,
    query: {},
    viewer,
    isDemo: deps.demo,
    challenge: null,
    refused: null,
    answered: null,
    done: null,
  };
}
