// What this page shows and where it finds it. Every setting has a default, which stands here; take the slashes away to
// change one. The address may say `root` and `fleet` for one viewer: …/?fleet=acme
// The page asks nobody but the broker and the tiles' server that are named here: after a change of `broker` or `tiles`
// run deploy/dashboard/build again, which writes that into the page.
globalThis.odograph ??= {};
globalThis.odograph.configured = {
    // The first part of every topic.
    // root: 'fleet',

    // The fleet to show; '+' is every one that the broker lets this page read.
    // fleet: '+',

    // The broker's websockets address. Null: the host that the page came from.
    // broker: null,

    // Whom to sign in as without asking. What stands here can be read by everybody who can open the page: only for a
    // broker whose page is for all who reach it. Null: the page asks where the broker wants to know.
    // user: null,
    // password: null,

    // Map tiles, such as 'https://tiles.example/{z}/{x}/{y}.png'. A folder of tiles beside the page needs no other server:
    // '/tiles/{z}/{x}/{y}.png'. Null: a plain ground, and no request to anybody but
    // the broker.
    // tiles: null,
    // A file beside the page that deploy/dashboard/background has made of roads in GeoJSON, such as 'background.json'. The
    // page draws it where there are no tiles. Null: meridians and parallels only.
    // background: null,
    // What the owner of the tiles, or of the roads, wants to be said on the map.
    // attribution: '',
    // The closest zoom that the tiles have.
    // maximumZoom: 19,

    // Whether the page asks a vehicle itself for the stops and trips of a day if no recorder answers. The login must be
    // allowed to send commands (the role operator).
    // askVehicles: true,

    // Tags whose positions are shown as private, without a place.
    // privateTags: ['private'],

    // Charge, 0 to 1, below which a battery counts as low.
    // lowBattery: 0.2,
};
