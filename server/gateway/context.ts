/** Everything the parts of the layer share. Made once in gateway.ts. */

import type { FailureLimit } from './access/rateLimit.ts';
import type { GatewaySettings } from './config/settings.ts';
import type { Assertions } from './identity/assertion.ts';
import type { KeyRing } from './keys/keyRing.ts';
import type { AuditLog } from './observe/audit.ts';
import type { Metrics } from './observe/metrics.ts';
import type { ProviderRegistry } from './providers/registry.ts';
import type { LoginCookies } from './session/loginState.ts';
import type { Refresher } from './session/refresher.ts';
import type { Sessions } from './session/sessions.ts';
import type { TokenContext } from './session/sessionToken.ts';
import type { Store } from './store/store.ts';

export interface GatewayContext {
	readonly settings: GatewaySettings;
	readonly providers: ProviderRegistry;
	readonly sessions: Sessions;
	readonly refresher: Refresher;
	readonly store: Store;
	readonly ring: KeyRing;
	readonly loginCookies: LoginCookies;
	readonly tokens: TokenContext;
	readonly assertions: Assertions | undefined;
	readonly metrics: Metrics;
	readonly audit: AuditLog;
	readonly failures: FailureLimit;
	readonly now: () => number;
}
