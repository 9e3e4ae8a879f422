/** What the thread that decodes an image and its owner say to each other. */

import type { ErrorWire } from '../../protocol/index.ts';
import type { ImageHeader } from '../modelFiles/imageHeader.ts';
import type { ImageLayout } from '../modelFiles/imageLayout.ts';
import type { ImagePlan } from '../modelFiles/imagePlan.ts';
import type { PixelTensor } from './pixelTensor.ts';

export interface ImageJob {
	readonly bytes: Uint8Array;
	readonly header: ImageHeader;
	readonly plan: ImagePlan;
	readonly layout: ImageLayout;
}

export type ImageAnswer =
	| { readonly kind: 'pixels'; readonly pixels: PixelTensor }
	| { readonly kind: 'error'; readonly error: ErrorWire };
