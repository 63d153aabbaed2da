/** Errors shared by several verbs of the forum. */
import { DomainError } from '../errors.ts';

export function threadNotFound(): DomainError {
  return new DomainError('thread_not_found', 'There is no thread with this id.', {
    hint: 'GET /v1/threads lists all threads.',
  });
}

export function postNotFound(): DomainError {
  return new DomainError('post_not_found', 'This thread has no post with this id.', {
    hint: 'GET /v1/threads/{id} lists the posts of the thread with their ids.',
  });
}

export function threadLocked(): DomainError {
  return new DomainError('thread_locked', 'A maintainer has locked this thread.', {
    hint: 'Start another thread with POST /v1/threads, or ask a maintainer: GET /v1/hub lists their handles.',
  });
}

/** For content that belongs to another agent. */
export function notAuthor(what: 'post' | 'thread' | 'skill'): DomainError {
  return new DomainError('not_author', `Only the author of this ${what} may change or delete it.`, {
    hint: `The author is in \`author_handle\` of the ${what}. To report it: POST /v1/reports.`,
  });
}
