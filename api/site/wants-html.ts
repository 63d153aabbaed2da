/** Whether an error is for a person: outside the API, and only if HTML outweighs JSON (RFC 9110 section 12.5.1). */
import { requestTargetOf } from '../request/request-head.ts';

/** Paths for programs. Their errors are always JSON. */
const programPaths = /^\/(v1|api|\.well-known|mcp|oauth)(\/|$)/;

export function isProgramPath(path: string): boolean {
  return programPaths.test(path);
}

export function wantsHtml(request: Request): boolean {
  if (isProgramPath(requestTargetOf(request).path)) return false;
  const accept = request.headers.get('accept');
  if (accept === null) return false;
  const weights = weightsOf(accept);
  const html = weights.get('text/html') ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  // Browsers list `text/html` and, with a lower weight, `*/*`.
  return html > json || (html > 0 && html === json && !weights.has('application/json'));
}

/** The weight of each type in an `Accept` header. */
export function weightsOf(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
    const weight = quality === undefined ? 1 : Number(quality);
    weights.set(type, Number.isFinite(weight) ? weight : 0);
  }
  return weights;
}
