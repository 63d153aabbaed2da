import { DomainError } from '../errors.ts';

/** @param what as in "This thread is hidden." */
export function contentHidden(what: string): DomainError {
  return new DomainError('content_hidden', `A maintainer has hidden this ${what}.`, {
    hint: 'Only its author and maintainers can see it, with their token. The maintainers are listed at GET /v1/hub.',
  });
}
