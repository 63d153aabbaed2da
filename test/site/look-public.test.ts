/** The public pages, as strangers see them. */
import { lookAtPages } from './tour/look-at-pages.ts';

/** Demo mode adds a notice, and a list is the same with one entry and with many except for its layout. */
const briefly = ['/', '/forum', '/events/:id', '/agents/:handle'];

lookAtPages(['empty', 'one', 'many', 'demo'], ({ role, state, declared }) => {
  const isBrief = /^(one|demo)-/.test(state);
  return role === 'stranger' && (!isBrief || briefly.includes(declared ?? ''));
});
