/**
 * The affordances of ALFWorld's classes: object classes by receptacle class, and objects that can be picked up,
 * cleaned, heated, cooled, switched or sliced. The values are ALFRED's constants (MIT), without sliced variants, which
 * never occur in the text world.
 */
const list = (text: string): readonly string[] => text.split(' ');

/** Every object class a problem declares, whether or not the room has one. */
export const objectClasses = list(
  'AlarmClock Apple BaseballBat BasketBall Bathtub Blinds Book Boots Bowl Box Bread ButterKnife CD ' +
    'Candle CellPhone Chair Cloth CreditCard Cup Curtains DeskLamp DishSponge Egg FloorLamp ' +
    'Footstool Fork Glassbottle HandTowel HousePlant Kettle KeyChain Knife Ladle Laptop ' +
    'LaundryHamperLid Lettuce LightSwitch Mirror Mug Newspaper Painting Pan PaperTowel ' +
    'PaperTowelRoll Pen Pencil PepperShaker Pillow Plate Plunger Poster Pot Potato RemoteControl ' +
    'SaltShaker ScrubBrush ShowerDoor ShowerGlass Sink SoapBar SoapBottle Spatula Spoon SprayBottle ' +
    'Statue StoveKnob TeddyBear Television TennisRacket TissueBox ToiletPaper ToiletPaperRoll Tomato ' +
    'Towel Vase Watch WateringCan Window WineBottle',
);

/** Every receptacle class a problem declares. */
export const receptacleClasses = list(
  'ArmChair BathtubBasin Bed Cabinet Cart CoffeeMachine CoffeeTable CounterTop Desk DiningTable ' +
    'Drawer Dresser Fridge GarbageCan HandTowelHolder LaundryHamper Microwave Ottoman PaintingHanger ' +
    'Safe Shelf SideTable SinkBasin Sofa StoveBurner TVStand Toaster Toilet ToiletPaperHanger ' +
    'TowelHolder',
);

/** Object classes per property predicate. */
export const propertyClasses = {
  pickupable: list(
    'AlarmClock Apple BaseballBat BasketBall Book Boots Bowl Box Bread ButterKnife CD Candle ' +
      'CellPhone Cloth CreditCard Cup DishSponge Egg Footstool Fork Glassbottle HandTowel Kettle ' +
      'KeyChain Knife Ladle Laptop Lettuce Mug Newspaper Pan PaperTowelRoll Pen Pencil PepperShaker ' +
      'Pillow Plate Plunger Pot Potato RemoteControl SaltShaker ScrubBrush SoapBar SoapBottle Spatula ' +
      'Spoon SprayBottle Statue TeddyBear TennisRacket TissueBox ToiletPaper Tomato Towel Vase Watch ' +
      'WateringCan WineBottle',
  ),
  isReceptacleObject: list('Bowl Box Cup Mug Pan Plate Pot'),
  cleanable: list(
    'Apple Bowl ButterKnife Cloth Cup DishSponge Egg Fork Kettle Knife Ladle Lettuce Mug Pan Plate ' +
      'Pot Potato SoapBar Spatula Spoon Tomato',
  ),
  heatable: list('Apple Bread Cup Egg Mug Plate Potato Tomato'),
  coolable: list('Apple Bowl Bread Cup Egg Lettuce Mug Pan Plate Pot Potato Tomato WineBottle'),
  toggleable: list('DeskLamp FloorLamp'),
  sliceable: list('Apple Bread Egg Lettuce Potato Tomato'),
} as const;

/** Object classes each receptacle class can hold. */
export const canContain: Readonly<Record<string, readonly string[]>> = {
  ArmChair: list(
    'BasketBall Book Box CellPhone Cloth CreditCard KeyChain Laptop Newspaper Pillow RemoteControl',
  ),
  BathtubBasin: list('Cloth DishSponge HandTowel SoapBar'),
  Bed: list('BaseballBat BasketBall Book CellPhone Laptop Newspaper Pillow TennisRacket'),
  Cabinet: list(
    'Book Bowl Box CD Candle Cloth Cup DishSponge Glassbottle HandTowel Kettle Ladle Mug Newspaper ' +
      'Pan PepperShaker Plate Plunger Pot SaltShaker SoapBar SoapBottle SprayBottle TissueBox ' +
      'ToiletPaper ToiletPaperRoll Vase WateringCan WineBottle',
  ),
  Cart: list(
    'Candle Cloth DishSponge HandTowel Mug PaperTowel Plunger SoapBar SoapBottle SprayBottle Statue ' +
      'TissueBox ToiletPaper ToiletPaperRoll Vase',
  ),
  CoffeeMachine: list('Mug'),
  CoffeeTable: list(
    'AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone ' +
      'Cloth CreditCard Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle ' +
      'Laptop Lettuce Mug Newspaper Pan PaperTowel Pen Pencil PepperShaker Plate Pot Potato ' +
      'RemoteControl SaltShaker SoapBar SoapBottle Spatula Spoon SprayBottle Statue TennisRacket ' +
      'TissueBox ToiletPaper ToiletPaperRoll Tomato Vase Watch WateringCan WineBottle',
  ),
  CounterTop: list(
    'AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone ' +
      'Cloth CreditCard Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle ' +
      'Laptop Lettuce Mug Newspaper Pan PaperTowel Pen Pencil PepperShaker Plate Pot Potato ' +
      'RemoteControl SaltShaker SoapBar SoapBottle Spatula Spoon SprayBottle Statue TennisRacket ' +
      'TissueBox ToiletPaper ToiletPaperRoll Tomato Vase Watch WateringCan WineBottle',
  ),
  Desk: list(
    'AlarmClock BasketBall Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup Glassbottle ' +
      'KeyChain Laptop Mug Newspaper Pen Pencil Plate RemoteControl SoapBottle SprayBottle Statue ' +
      'TennisRacket TissueBox ToiletPaper ToiletPaperRoll Vase Watch WateringCan WineBottle',
  ),
  DiningTable: list(
    'AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone ' +
      'Cloth CreditCard Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle ' +
      'Laptop Lettuce Mug Newspaper Pan PaperTowel Pen Pencil PepperShaker Plate Pot Potato ' +
      'RemoteControl SaltShaker SoapBar SoapBottle Spatula Spoon SprayBottle Statue TennisRacket ' +
      'TissueBox ToiletPaper ToiletPaperRoll Tomato Vase Watch WateringCan WineBottle',
  ),
  Drawer: list(
    'Book ButterKnife CD Candle CellPhone Cloth CreditCard DishSponge Fork HandTowel KeyChain Knife ' +
      'Ladle Newspaper Pen Pencil PepperShaker RemoteControl SaltShaker SoapBar SoapBottle Spatula ' +
      'Spoon SprayBottle TissueBox ToiletPaper ToiletPaperRoll Watch WateringCan',
  ),
  Dresser: list(
    'AlarmClock BasketBall Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup Glassbottle ' +
      'KeyChain Laptop Mug Newspaper Pen Pencil Plate RemoteControl SprayBottle Statue TennisRacket ' +
      'TissueBox ToiletPaper ToiletPaperRoll Vase Watch WateringCan WineBottle',
  ),
  Fridge: list('Apple Bowl Bread Cup Egg Glassbottle Lettuce Mug Pan Plate Pot Potato Tomato WineBottle'),
  GarbageCan: list(
    'Apple Bread CD Cloth DishSponge Egg HandTowel Lettuce Newspaper PaperTowel Pen Pencil Potato ' +
      'SoapBar SoapBottle SprayBottle TissueBox ToiletPaper ToiletPaperRoll Tomato WineBottle',
  ),
  HandTowelHolder: list('HandTowel'),
  LaundryHamper: list('Cloth'),
  Microwave: list('Apple Bowl Bread Cup Egg Glassbottle Mug Plate Potato Tomato'),
  Ottoman: list(
    'BasketBall Book Box CellPhone Cloth CreditCard KeyChain Laptop Newspaper Pillow RemoteControl',
  ),
  Safe: list('CD CellPhone CreditCard KeyChain Statue Vase Watch'),
  Shelf: list(
    'AlarmClock Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup DishSponge Glassbottle ' +
      'HandTowel Kettle KeyChain Mug Newspaper PaperTowel Pen Pencil PepperShaker Plate Pot ' +
      'RemoteControl SaltShaker SoapBar SoapBottle SprayBottle Statue TissueBox ToiletPaper ' +
      'ToiletPaperRoll Vase Watch WateringCan WineBottle',
  ),
  SideTable: list(
    'AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone ' +
      'Cloth CreditCard Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle ' +
      'Laptop Lettuce Mug Newspaper Pan PaperTowel Pen Pencil PepperShaker Plate Pot Potato ' +
      'RemoteControl SaltShaker SoapBar SoapBottle Spatula Spoon SprayBottle Statue TennisRacket ' +
      'TissueBox ToiletPaper ToiletPaperRoll Tomato Vase Watch WateringCan WineBottle',
  ),
  SinkBasin: list(
    'Apple Bowl ButterKnife Cloth Cup DishSponge Egg Fork Glassbottle HandTowel Kettle Knife Ladle ' +
      'Lettuce Mug Pan Plate Pot Potato SoapBar Spatula Spoon Tomato',
  ),
  Sofa: list('BasketBall Book Box CellPhone Cloth CreditCard KeyChain Laptop Newspaper Pillow RemoteControl'),
  StoveBurner: list('Kettle Pan Pot'),
  TVStand: list('TissueBox'),
  Toilet: list(
    'Candle Cloth DishSponge HandTowel Newspaper PaperTowel SoapBar SoapBottle SprayBottle TissueBox ' +
      'ToiletPaper ToiletPaperRoll',
  ),
  ToiletPaperHanger: list('ToiletPaper ToiletPaperRoll'),
  TowelHolder: list('Towel'),
};
