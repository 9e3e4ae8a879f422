/** What a fault of the run is. */

import type { FaultHome, Said } from './faultHome.ts';

export interface Fault {
	readonly name: string;
	/** Makes something wrong, then uses the product. */
	readonly act: (home: FaultHome) => Promise<Said>;
	/** What the message must name. */
	readonly names: string;
}
