/** Everything the parts of the layer share. Made once in gateway.ts. */

import type { Ending } from '../net/ending.ts';
import type { Metrics } from '../net/metrics.ts';
import type { RateLimit } from './access/rateLimit.ts';
import type { GatewaySettings } from './config/gatewaySettings.ts';
import type { Assertions } from './identity/assertion.ts';
import type { LoadedKeys } from './keys/keyFile.ts';
import type { KeyRing } from './keys/keyRing.ts';
import type { AuditLog } from './observe/audit.ts';
import type { ProbedState } from './observe/probedState.ts';
import type { ProviderRegistry } from './providers/registry.ts';
import type { UpstreamState } from './proxy/upstreamProof.ts';
import type { LoginCookies } from './session/loginState.ts';
import type { OpenExchanges } from './session/openExchanges.ts';
import type { Refresher } from './session/refresher.ts';
import type { Sessions } from './session/sessions.ts';
import type { TokenContext } from './session/sessionToken.ts';
import type { Store } from './store/store.ts';
import type { StoreState } from './store/storeProof.ts';

export interface GatewayContext {
	readonly settings: GatewaySettings;
	readonly providers: ProviderRegistry;
	readonly sessions: Sessions;
	readonly open: OpenExchanges;
	readonly refresher: Refresher;
	readonly store: Store;
	/** What probes are told of it. */
	readonly storeProof: Pick<ProbedState<StoreState>, 'state'>;
	/** What probes are told of the app. */
	readonly upstreamProof: Pick<ProbedState<UpstreamState>, 'state'>;
	readonly ring: KeyRing;
	/** Whether the ring is what its file says. */
	readonly keys: Pick<LoadedKeys, 'refused'>;
	readonly loginCookies: LoginCookies;
	readonly tokens: TokenContext;
	readonly assertions: Assertions | undefined;
	readonly metrics: Metrics;
	readonly audit: AuditLog;
	/** Sign-ins that failed. */
	readonly failures: RateLimit;
	readonly deviceStarts: RateLimit;
	readonly ending: Ending;
	readonly now: () => number;
}
