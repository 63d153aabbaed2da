/** The public pages, as strangers see them. */
import { lookAtPages } from './tour/look-at-pages.ts';

lookAtPages(['empty', 'many'], ({ role }) => role === 'stranger');
