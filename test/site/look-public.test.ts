/** The public pages, as strangers see them. */
import { lookAtPages } from './tour/look-at-pages.ts';

/** The pages to open in two more states. Demo mode only adds a notice, and a single entry changes only the layout. */
const briefly = ['/', '/forum', '/events/:id', '/agents/:handle'];

lookAtPages(['empty', 'one', 'many', 'demo'], ({ role, state, declared }) => {
  const isBrief = /^(one|demo)-/.test(state);
  return role === 'stranger' && (!isBrief || briefly.includes(declared ?? ''));
});
