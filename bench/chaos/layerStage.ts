/** What the steps and rules of the layer's scene work with. */

import type { TestApp } from '../../test/gateway/support/app.ts';
import type { FakeProvider } from '../../test/gateway/support/fakeProvider.ts';
import type { GatewayProcess } from '../../test/gateway/support/gatewayProcess.ts';
import type { RedisServer } from '../../test/gateway/support/redisServer.ts';
import type { Random } from './scene.ts';

export type StoreKind = 'sqlite' | 'redis';

export interface LayerStage {
	readonly kind: StoreKind;
	readonly random: Random;
	readonly app: TestApp;
	readonly provider: FakeProvider;
	/** Where the store is Redis. */
	readonly redis: RedisServer | undefined;
	/** Where it is a file. */
	readonly database: string;
	readonly clock: string;
	readonly systemTmp: string;
	readonly replicas: GatewayProcess[];
	/** Cookies of people who were told that they are signed in, and of those who were told that they are not. */
	readonly signedIn: Set<string>;
	readonly signedOut: Set<string>;
	startReplica(): Promise<GatewayProcess>;
}
