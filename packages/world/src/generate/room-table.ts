/**
 * The rooms of the generated games: per room kind ten rooms for training and three used only by `valid_unseen`. Each
 * room is a list of places. Receptacles joined by & share one location, a number repeats a place, and + marks openable
 * ones (as in the real rooms, not every cabinet and drawer). Numbers and combinations follow those of ALFWorld's train
 * rooms; the rooms themselves are ours.
 */
export const trainRooms = {
  kitchen: {
    K1: '9 Cabinet+; CoffeeMachine; 3 CounterTop; 5 Drawer+; Fridge+; GarbageCan; Microwave+; SinkBasin; 2 StoveBurner & StoveBurner; Toaster',
    K2: '2 Cabinet; 7 Cabinet+; CoffeeMachine & CounterTop; CounterTop; DiningTable; 3 Drawer+; Fridge+; GarbageCan; Microwave+; SinkBasin; 4 StoveBurner; Toaster',
    K3: '4 Cabinet+; CoffeeMachine; 2 CounterTop; Drawer; 4 Drawer+; Fridge+; GarbageCan; Microwave+; SideTable; SinkBasin; 2 StoveBurner & StoveBurner; Toaster',
    K4: '14 Cabinet+; Cabinet+ & Cabinet+; CoffeeMachine; CounterTop; CounterTop & Toaster; 2 Drawer+; Fridge+; GarbageCan; Microwave+; 3 Shelf; SinkBasin; 2 StoveBurner & StoveBurner',
    K5: '3 Cabinet; 5 Cabinet+; CoffeeMachine; 2 CounterTop; 2 DiningTable; 3 Drawer+; Fridge+; GarbageCan; Microwave+; SinkBasin; 2 StoveBurner & StoveBurner; Toaster',
    K6: '10 Cabinet+; CoffeeMachine & CounterTop; CounterTop; DiningTable; 6 Drawer+; Fridge+; GarbageCan; Microwave+; Safe+; SinkBasin; 4 StoveBurner; Toaster',
    K7: '2 Cabinet; Cabinet & Cabinet+; 6 Cabinet+; CoffeeMachine; CounterTop; DiningTable; Drawer; Drawer+ & Drawer+; Fridge+; GarbageCan; Microwave+; SideTable; SinkBasin; StoveBurner & StoveBurner & StoveBurner & StoveBurner; Toaster',
    K8: '3 Cabinet+ & Cabinet+; 2 Cabinet+; CoffeeMachine; 2 CounterTop; 8 Drawer+; Fridge+; GarbageCan; Microwave+; 2 Shelf; SinkBasin; 2 StoveBurner; StoveBurner & StoveBurner; Toaster',
    K9: '12 Cabinet+; CoffeeMachine; 4 CounterTop; 2 Drawer; 7 Drawer+; Fridge+; GarbageCan; Microwave+; SinkBasin; 4 StoveBurner; Toaster',
    K10: '6 Cabinet+; Cabinet & GarbageCan; CoffeeMachine; CounterTop; CounterTop & Toaster; DiningTable; 4 Drawer+; Fridge+; Microwave+; SideTable; SinkBasin; 2 StoveBurner & StoveBurner',
  },
  livingroom: {
    L1: '2 ArmChair; CoffeeTable; DiningTable; 2 Drawer+; GarbageCan; 2 SideTable; Sofa; TVStand',
    L2: 'ArmChair; CoffeeTable; GarbageCan; SideTable; Sofa; TVStand; 3 Shelf',
    L3: 'ArmChair; CoffeeTable; Drawer; 5 Drawer+; Dresser; GarbageCan; Ottoman; SideTable; Sofa',
    L4: '2 ArmChair; Cabinet+; CoffeeTable; 4 Drawer+; Dresser; GarbageCan; SideTable; Sofa',
    L5: 'ArmChair; 2 CoffeeTable; GarbageCan; 6 Shelf; Shelf & TVStand; Sofa',
    L6: 'CoffeeTable; DiningTable; 3 Drawer+; Dresser; GarbageCan; 3 SideTable; 2 Sofa',
    L7: 'ArmChair; Desk; DiningTable; 2 Drawer+ & Drawer+; Drawer+ & Safe+; GarbageCan; 2 SideTable; Sofa',
    L8: '2 ArmChair; CoffeeTable; Drawer+ & SideTable; GarbageCan; Ottoman; 4 Shelf; SideTable; Sofa; TVStand',
    L9: '3 ArmChair; CoffeeTable; 2 DiningTable; GarbageCan; SideTable; Sofa; TVStand',
    L10: 'ArmChair; 3 Cabinet+; 2 CoffeeTable; 6 Drawer+; Dresser; GarbageCan; 5 Shelf; SideTable; Sofa',
  },
  bedroom: {
    B1: 'Bed; Desk; 5 Drawer+; Dresser; GarbageCan; Shelf; SideTable',
    B2: 'Bed; Desk; Drawer; 3 Drawer+; GarbageCan; Safe+; 4 Shelf; 2 SideTable',
    B3: 'Bed; Desk; 3 Drawer+; GarbageCan; LaundryHamper; 2 Shelf; SideTable',
    B4: '2 Bed; Desk & Drawer & Drawer; 2 Drawer+; GarbageCan; LaundryHamper; 3 Shelf; SideTable',
    B5: 'ArmChair; Bed; 2 Cabinet+; Desk; 4 Drawer+; Dresser; GarbageCan; SideTable',
    B6: 'Bed; Desk; Drawer & Dresser; 6 Drawer+; GarbageCan; 5 Shelf; Shelf & Shelf',
    B7: 'ArmChair; Bed; DiningTable; 3 Drawer+; Drawer+ & SideTable; Dresser; GarbageCan; SideTable',
    B8: 'Bed; 2 Desk; 2 Drawer+ & Drawer+; GarbageCan; Safe+; 2 Shelf; SideTable',
    B9: '2 Bed; Desk; 8 Drawer+; Dresser; GarbageCan; LaundryHamper; 2 SideTable',
    B10: '2 ArmChair; Bed; Cabinet+ & Shelf; Desk; 2 Drawer+; Dresser; GarbageCan; 3 Shelf; SideTable',
  },
  bathroom: {
    W1: 'BathtubBasin; 3 Cabinet+; CounterTop; GarbageCan; 2 HandTowelHolder; SinkBasin; Toilet; ToiletPaperHanger; TowelHolder',
    W2: 'BathtubBasin; 4 Cabinet+; CounterTop; GarbageCan; HandTowelHolder; Shelf; 2 SinkBasin; Toilet; ToiletPaperHanger; 2 TowelHolder',
    W3: 'CounterTop; 5 Drawer+; GarbageCan; 2 HandTowelHolder; SinkBasin; Toilet; ToiletPaperHanger; TowelHolder',
    W4: 'BathtubBasin; Cart; GarbageCan; 2 HandTowelHolder; 3 Shelf; SinkBasin; Toilet; ToiletPaperHanger; 2 TowelHolder',
    W5: '2 Cabinet+; Cabinet+ & Cabinet+; CounterTop; GarbageCan; HandTowelHolder; 2 SinkBasin; Toilet; ToiletPaperHanger; TowelHolder',
    W6: 'BathtubBasin; CounterTop; 4 Drawer+; Drawer+ & Drawer+; Dresser; GarbageCan; HandTowelHolder; SinkBasin; Toilet; ToiletPaperHanger; TowelHolder',
    W7: 'BathtubBasin; Drawer+; GarbageCan; HandTowelHolder; SideTable; 2 SinkBasin; Toilet; ToiletPaperHanger; TowelHolder',
    W8: 'BathtubBasin; Cabinet; 3 Cabinet+; 2 CounterTop; GarbageCan & ToiletPaperHanger; 2 HandTowelHolder; 2 SinkBasin; Toilet; TowelHolder',
    W9: 'CounterTop; Drawer; 2 Drawer+; GarbageCan; HandTowelHolder; 2 Shelf; SinkBasin; Toilet; ToiletPaperHanger; 2 TowelHolder',
    W10: 'BathtubBasin; Cart; CounterTop; 3 Drawer+; GarbageCan; HandTowelHolder; Shelf; 2 SinkBasin; Toilet; ToiletPaperHanger; TowelHolder',
  },
} as const;

/** Rooms that no training game and no `valid_seen` game plays in. */
export const unseenRooms = {
  kitchen: {
    K11: '5 Cabinet+; CoffeeMachine; 3 CounterTop; 3 Drawer+; Fridge+; GarbageCan; Microwave+; 4 StoveBurner; SinkBasin; Toaster',
    K12: '2 Cabinet; 9 Cabinet+; CoffeeMachine; CounterTop; 2 DiningTable; 9 Drawer+; Fridge+; GarbageCan; Microwave+; SinkBasin; 2 StoveBurner & StoveBurner; Toaster',
    K13: '8 Cabinet+; Cabinet+ & Cabinet+; CoffeeMachine & CounterTop; 2 CounterTop; Drawer+; Fridge+; GarbageCan; Microwave+; 4 Shelf; SideTable; SinkBasin; StoveBurner & StoveBurner; 2 StoveBurner; Toaster',
  },
  livingroom: {
    L11: 'ArmChair; CoffeeTable; 4 Drawer+; GarbageCan; 2 Ottoman; 4 SideTable; Sofa',
    L12: '3 ArmChair; Cabinet+; CoffeeTable; DiningTable; Drawer+; GarbageCan; 2 Shelf; SideTable; 2 Sofa; TVStand',
    L13: '2 ArmChair; Desk; 2 CoffeeTable; 3 Drawer+; Dresser; GarbageCan; 8 Shelf; SideTable; Sofa',
  },
  bedroom: {
    B11: 'Bed; 2 Desk; 2 Drawer+; Drawer+ & Drawer+; Dresser; GarbageCan; 3 Shelf; 2 SideTable',
    B12: 'ArmChair; 2 Bed; Desk; 7 Drawer+; GarbageCan; LaundryHamper; Safe+; 6 Shelf; SideTable',
    B13: 'Bed; Cabinet+; Desk; DiningTable; 4 Drawer+; 2 Dresser; GarbageCan; SideTable',
  },
  bathroom: {
    W11: 'BathtubBasin; 6 Cabinet+; CounterTop; GarbageCan; 3 HandTowelHolder; SinkBasin; Toilet; ToiletPaperHanger; 2 TowelHolder',
    W12: 'BathtubBasin; 2 CounterTop; 7 Drawer+; GarbageCan; HandTowelHolder; Shelf; 2 SinkBasin; Toilet; ToiletPaperHanger; TowelHolder',
    W13: 'Cabinet+; Cart; CounterTop; 2 Drawer+; GarbageCan; 2 HandTowelHolder; SideTable; SinkBasin; Toilet; ToiletPaperHanger; TowelHolder',
  },
} as const;
