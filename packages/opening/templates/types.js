/** The types of an environment for EMAC, copied, so that this package needs nothing of EMAC to compile. */
export {};
//# sourceMappingURL=types.js.map
