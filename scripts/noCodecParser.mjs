/** Stands in bundles for `codec-parser`, which is not shipped: server/audio splits FLAC and Ogg itself. */

export const data = Symbol('data');
export const totalSamples = Symbol('totalSamples');
export const codecFrames = Symbol('codecFrames');
export const header = Symbol('header');
export const vorbisComments = Symbol('vorbisComments');
export const vorbisSetup = Symbol('vorbisSetup');
export const isLastPage = Symbol('isLastPage');

/** Made with every decoder, never fed. */
export default class CodecParser {
	parseChunk() {
		throw new Error('The decoders of Nearglot take frames and packets, not files.');
	}
}
