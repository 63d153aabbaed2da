/** Takes the images out of an expanded document. */
import type { FilesBeside } from './beside.ts';
import type { PlacedFault } from './expand-document.ts';
import { nameOf, type Path } from './fault.ts';
import { faultOfImage, maxImageNameCharacters, placed, type PlacedImage, readDataUrl } from './images.ts';
import { isFields } from './exact-json.ts';
import { maxCaseImageBytes, maxFaults, maxMessageImages, maxSuiteImageBytes } from './limits.ts';
import type { At } from './placed-values.ts';

export interface PlacedImages {
  /** The document with hashes instead of images; itself if it has none. */
  readonly value: unknown;
  /** In base64, by hash. */
  readonly images: ReadonlyMap<string, string>;
  /** The first place of each image that the document names by its hash. */
  readonly known: readonly { readonly image: PlacedImage; readonly path: Path }[];
  readonly faults: readonly PlacedFault[];
}

/** Takes the images of an expanded document out. What has no form of an image stays, for the check of forms. */
export function placeImages(value: unknown, at: At, files: FilesBeside): PlacedImages {
  return new Placing(at, files).place(value);
}

class Placing {
  readonly #at: At;
  readonly #files: FilesBeside;
  readonly #images = new Map<string, string>();
  readonly #known = new Map<string, { readonly image: PlacedImage; readonly path: Path }>();
  /** A file or an image is read once, however many cases name it. */
  readonly #read = new Map<string, PlacedImage | string | null>();
  readonly #faults: PlacedFault[] = [];
  #suiteBytes = 0;

  constructor(at: At, files: FilesBeside) {
    this.#at = at;
    this.#files = files;
  }

  place(value: unknown): PlacedImages {
    const cases: unknown = isFields(value) ? value['cases'] : undefined;
    if (!isFields(value) || !Array.isArray(cases) || !cases.some(hasImages)) return this.#placed(value);
    return this.#placed({
      ...value,
      cases: cases.map((each: unknown, index) =>
        hasImages(each) ? this.#case(each, ['cases', index]) : each,
      ),
    });
  }

  #placed(value: unknown): PlacedImages {
    return { value, images: this.#images, known: [...this.#known.values()], faults: this.#faults };
  }

  #case(given: GivenCase, path: Path): unknown {
    let bytes = 0;
    const messages = given.messages.map((message: unknown, at) => {
      if (!isFields(message) || !Array.isArray(message['images'])) return message;
      const images: readonly unknown[] = message['images'].slice(0, maxMessageImages + 1);
      const placed = images.map((image, place) => {
        const one = this.#image(image, [...path, 'messages', at, 'images', place]);
        if (isPlaced(one)) ({ bytes } = { bytes: bytes + one.bytes });
        return one;
      });
      return { ...message, images: placed };
    });
    if (bytes > maxCaseImageBytes)
      this.#fault(
        [...path, 'messages'],
        `The images of a case must have at most ${maxCaseImageBytes} bytes together.`,
      );
    return { ...given, messages };
  }

  #image(given: unknown, path: Path): unknown {
    if (isPlaced(given)) {
      if (!this.#known.has(given.sha256)) this.#known.set(given.sha256, { image: given, path });
      return given;
    }
    if (typeof given !== 'string') return given;
    const known = this.#read.get(given);
    const read = known === undefined ? this.#open(given) : known;
    this.#read.set(given, read);
    if (typeof read !== 'string') return read;
    this.#fault(path, `\`${nameOf(path)}\` ${read}.`);
    return given;
  }

  /** @returns what is wrong with it; null if its file was not given yet */
  #open(given: string): PlacedImage | string | null {
    const fault = faultOfImage(given);
    if (fault !== null) return fault;
    const isInline = given.startsWith('data:');
    const url = isInline ? given : this.#files.readImage(given);
    if (url === undefined) return null;
    if (url === null)
      return `names ${JSON.stringify(given.slice(0, maxImageNameCharacters))}, which is no file beside the suite`;
    const read = readDataUrl(url);
    if (typeof read === 'string') return 'must be a PNG, JPEG, GIF or WebP image, by its content';
    const image = placed(read);
    if (!this.#images.has(image.sha256)) {
      this.#suiteBytes += image.bytes;
      if (this.#suiteBytes > maxSuiteImageBytes)
        return `is one too many: the images of a suite must have at most ${maxSuiteImageBytes} bytes together`;
      this.#images.set(image.sha256, read.data.toString('base64'));
    }
    const name = isInline ? undefined : given.split('/').at(-1)?.slice(0, maxImageNameCharacters);
    return name === undefined ? image : { ...image, name };
  }

  #fault(path: Path, message: string): void {
    if (this.#faults.length < maxFaults) this.#faults.push({ ...this.#at(path), path, message });
  }
}

interface GivenCase {
  readonly messages: readonly unknown[];
}

function hasImages(given: unknown): given is GivenCase {
  const messages: unknown = isFields(given) ? given['messages'] : undefined;
  return Array.isArray(messages) && messages.some((each) => isFields(each) && Array.isArray(each['images']));
}

function isPlaced(value: unknown): value is PlacedImage {
  return isFields(value) && typeof value['sha256'] === 'string' && typeof value['bytes'] === 'number';
}
