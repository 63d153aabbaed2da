/** The maintainers' desk. */
import { lookAtPages } from './tour/look-at-pages.ts';

lookAtPages(['empty', 'many'], ({ role }) => role === 'maintainer');
