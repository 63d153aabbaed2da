/**
 * Leaves `msgpackr-extract`, an optional dependency of msgpackr, out of the compiled binary. It loads a
 * native library from the path it had on the build machine, so on another machine it would load whatever is
 * at that path.
 */
import type { BunPlugin } from 'bun';

export const leaveOutNativeCode: BunPlugin = {
  name: 'leave-out-native-code',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]msgpackr-extract[\\/]index\.js$/ }, () => ({
      contents: 'module.exports = null;',
      loader: 'js',
    }));
  },
};
